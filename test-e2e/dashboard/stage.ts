import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Dashboard } from '../../services/gateway/src/dashboard/dashboard.js';
import { GatewayUnderTest } from '../../services/gateway/src/gateway.fixture.js';
import { WatchedPage } from './browser.js';
import { FakeWorld } from './fake-world.js';
import { Operator } from './operator.js';

/** A world that a test can change, a real gateway before it, and somebody who looks at it in a browser. */
export class Stage {
  private constructor(
    readonly world: FakeWorld,
    readonly watched: WatchedPage,
    readonly operator: Operator,
    private readonly gateway: GatewayUnderTest,
  ) {}

  /** @throws Error when the dashboard is not built. */
  static async set(browser: Browser): Promise<Stage> {
    const dashboard = Dashboard.in(join(import.meta.dirname, '../../dist/dashboard'));
    if (!dashboard.isBuilt) throw new Error('the dashboard is not built: npm run build');
    const world = new FakeWorld();
    const gateway = await GatewayUnderTest.start(world.upstream, { dashboard });
    const watched = await WatchedPage.open(browser);
    return new Stage(world, watched, new Operator(watched.page, gateway.url), gateway);
  }

  async clear(): Promise<void> {
    await this.watched.close();
    await this.gateway.close();
  }
}
