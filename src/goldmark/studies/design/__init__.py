"""What a study is before it begins: its file, cells, plan, and the campaign that runs it."""
