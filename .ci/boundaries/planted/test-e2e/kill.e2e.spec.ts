import '#testing';
import '#event-store/in-memory';
import '#nats';
