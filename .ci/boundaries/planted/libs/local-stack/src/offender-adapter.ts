import '#nats';
