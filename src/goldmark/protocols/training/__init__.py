"""What a protocol teaches: trainings, qualifications, and the exercises in them."""
