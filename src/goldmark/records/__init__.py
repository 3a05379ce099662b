"""The small immutable records that pass between rooms. They know nobody."""
