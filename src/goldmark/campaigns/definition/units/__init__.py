"""A campaign's units on their way in: looked at, completed, suggested to, put into an order, added later."""
