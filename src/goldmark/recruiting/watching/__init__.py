"""What goes on as time goes on: looking at the platform and doing what rules say."""
