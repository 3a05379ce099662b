"""Tables as people have them: Excel, Parquet, and which of their columns is what."""
