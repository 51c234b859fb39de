import {
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
} from 'prom-client';

export const METRICS = Symbol('Metrics');

/** From a quarter of a millisecond (one append) to ten seconds (a command that had to wait for a broker). Seconds. */
const SECONDS_BUCKETS = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** From a tenth of a second to a day: how long people and agents take. Seconds. */
const LONG_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

/** A service's metrics, under names that start with `holdfast_`. Each may be asked for again: it is then the same. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry, prefix: 'holdfast_' });
  }

  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Counter<Label> {
    return this.once(name, () => new Counter(this.config(name, help, labelNames)));
  }

  gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Gauge<Label> {
    return this.once(name, () => new Gauge(this.config(name, help, labelNames)));
  }

  /** Durations, in seconds. `long`: of work, not of requests. */
  seconds<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    range: 'short' | 'long' = 'short',
  ): Histogram<Label> {
    const buckets = range === 'long' ? LONG_BUCKETS : SECONDS_BUCKETS;
    const config = this.config(name, help, labelNames);
    return this.once(name, () => new Histogram<Label>({ ...config, buckets }));
  }

  /** All of them, as Prometheus reads them. */
  async exposition(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  private once<Metric>(name: string, make: () => Metric): Metric {
    const present = this.registry.getSingleMetric(fullName(name));
    return present === undefined ? make() : (present as unknown as Metric);
  }

  private config<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): CounterConfiguration<Label> & GaugeConfiguration<Label> & HistogramConfiguration<Label> {
    return { name: fullName(name), help, labelNames: [...labelNames], registers: [this.registry] };
  }
}

const fullName = (name: string): string => `holdfast_${name}`;
