import '#nats';
import '#runs/command';
