import type { Locator, Page } from 'playwright-core';

/** What a person does on the dashboard and sees there, found by role and name as they would hear it. */
export class Operator {
  constructor(
    readonly page: Page,
    private readonly url: string,
  ) {}

  async open(path = '/'): Promise<void> {
    await this.page.goto(`${this.url}${path}`);
  }

  async signIn(token: string): Promise<void> {
    await this.page.getByLabel('Token').fill(token);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Opens a page as somebody who is signed in. */
  async openAs(token: string, path = '/runs'): Promise<void> {
    await this.open(path);
    await this.signIn(token);
    await this.page.getByRole('banner').waitFor();
  }

  async goTo(tab: 'Runs' | 'Spawns' | 'Unknown' | 'Nodes' | 'System'): Promise<void> {
    await this.page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: tab })
      .click();
  }

  /** Submits from the list of runs, and waits for the page of the run. @returns the run's id. */
  async submit(agent: string, prompt: string): Promise<string> {
    await this.goTo('Runs');
    const form = this.page.getByRole('form', { name: 'Submit a prompt' });
    await form.getByLabel('Agent').selectOption(agent);
    await form.getByLabel('Prompt').fill(prompt);
    await form.getByRole('button', { name: 'Submit' }).click();
    await this.page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
    return new URL(this.page.url()).pathname.slice('/runs/'.length);
  }

  /** The heading of a run's page once it says this status. */
  async seesStatus(status: string): Promise<void> {
    await this.heading(new RegExp(`\\b${status}\\b`)).waitFor();
  }

  async sees(text: string | RegExp, within: Locator | Page = this.page): Promise<void> {
    await within.getByText(text).first().waitFor();
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name });
  }

  /** A run in the list of runs. */
  row(runId: string): Locator {
    const head = this.page.getByRole('rowheader', { name: runId.slice(0, 8) });
    return this.page.getByRole('row').filter({ has: head });
  }

  /** What asks before it does something. */
  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  /** Opens what asks before a stop. */
  async asksToStop(): Promise<void> {
    await this.page.getByRole('button', { name: 'Stop…' }).click();
    await this.dialog.waitFor();
  }

  async confirmsStop(): Promise<void> {
    await this.dialog.getByRole('button', { name: 'Stop this run' }).click();
  }

  /** A part of the page that says what is slow. */
  part(title: string): Locator {
    return this.page.getByRole('region', { name: title });
  }

  get output(): Locator {
    return this.page.getByRole('region', { name: 'Output' });
  }

  get progress(): Locator {
    return this.page.getByRole('list', { name: 'Progress' });
  }

  get timeline(): Locator {
    return this.page.getByRole('region', { name: 'Timeline' });
  }

  /** How far the page is wider than its window, in CSS pixels. */
  async overflow(): Promise<number> {
    return this.page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
  }

  /** What has the focus: its label, or else what it is. */
  async focused(): Promise<string> {
    return this.page.evaluate<string>(
      'document.activeElement.labels?.[0]?.childNodes[0].textContent ?? document.activeElement.id',
    );
  }

  /** The text of the button that has the focus; empty when none of the page's has it. */
  async focusedText(): Promise<string> {
    return this.page.evaluate<string>(
      "document.activeElement.matches('button') ? document.activeElement.textContent : ''",
    );
  }

  /** As if another tab had been put in front, or this one again. */
  async setVisible(isVisible: boolean): Promise<void> {
    const state = isVisible ? 'visible' : 'hidden';
    await this.page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
       document.dispatchEvent(new Event('visibilitychange'));`,
    );
  }
}
