"""The engine's process: takes messages from the wire, hands them to the scheduler, sends what comes back."""
