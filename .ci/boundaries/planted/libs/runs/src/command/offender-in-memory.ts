import '#event-store/in-memory';
