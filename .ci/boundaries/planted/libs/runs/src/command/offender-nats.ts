import '@nats-io/jetstream';
