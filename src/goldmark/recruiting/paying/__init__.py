"""Money: the budget, the ledger, wages, and whether the books agree."""
