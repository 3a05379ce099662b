"""Tidy tables: one vocabulary of columns, columns held as numbers, and which rows count."""
