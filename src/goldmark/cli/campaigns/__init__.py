"""Commands on campaigns, their people and their gold lists."""
