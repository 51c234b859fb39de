import { existsSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Page,
  type Request,
} from 'playwright-core';

/** Where Debian puts it; elsewhere `HOLDFAST_CHROMIUM` says. */
const DEBIAN_CHROMIUM = '/usr/bin/chromium';

/** Nothing but what a page needs: no sandbox in a container, and no talk with the outside. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @throws Error when there is no Chromium to be found. */
export const launchChromium = async (): Promise<Browser> => {
  const executablePath = process.env['HOLDFAST_CHROMIUM'] ?? DEBIAN_CHROMIUM;
  if (!existsSync(executablePath))
    throw new Error(`there is no Chromium at ${executablePath}; set HOLDFAST_CHROMIUM`);
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
};

/**
 * How long a condition on a page may take to come true, ms. Only a bound against hanging: two cores carry the whole system
 * and a browser.
 */
export const SHOWN_WITHIN_MS = 30_000;

/**
 * What a browser says by itself of a request that was refused or never answered. It is no fault of the page, which shows
 * it in words; everything else that turns up in the console is.
 */
const OF_THE_NETWORK = /^Failed to load resource: /;

/** A page of its own, with its own storage, that remembers whatever its console complained of. */
export class WatchedPage {
  readonly complaints: string[] = [];
  /** Streams that it listens to. */
  readonly openStreams = new Set<Request>();

  private constructor(readonly page: Page) {
    page.setDefaultTimeout(SHOWN_WITHIN_MS);
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      if (!OF_THE_NETWORK.test(message.text())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      if (request.headers()['accept'] === 'text/event-stream') this.openStreams.add(request);
    });
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (request) => void this.openStreams.delete(request));
  }

  static async open(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const context = await browser.newContext(options);
    return new WatchedPage(await context.newPage());
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
