/**
 * A real browser for the tests of the console: Debian's chromium, driven by playwright-core. Where
 * there is none the tests are skipped and say so. What a page logs as an error fails its test.
 */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((place) => existsSync(place)) ?? null;

export interface PageOptions {
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

export type OpenPage = (options: PageOptions) => Promise<Page>;

let browser: Promise<Browser> | null = null;

/** A test with pages, which are closed after it. */
export function browserTest(name: string, run: (open: OpenPage) => Promise<void>): void {
  if (executablePath === null) {
    test.skip(`${name} (skipped: no chromium in /usr/bin)`, () => undefined);
    return;
  }
  test(name, async () => {
    // Containers run tests as root, where chromium has no sandbox of its own.
    browser ??= chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const launched = await browser;
    const errors: string[] = [];
    try {
      await run((options) => openPage(launched, options, errors));
      assert.equal(errors, [], 'errors of the page');
    } finally {
      await Promise.all(launched.contexts().map((context) => context.close()));
    }
  });
}

/** Waits until it says so. */
export const says = (place: Locator, text: RegExp): Promise<void> =>
  place.filter({ hasText: text }).waitFor();

/** After the last test, so that the process can end. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

async function openPage(
  launched: Browser,
  { url, width = 1280, height = 800, colorScheme = 'light' }: PageOptions,
  errors: string[],
): Promise<Page> {
  const page = await launched.newPage({ viewport: { width, height }, colorScheme });
  // What does not come in this time does not come.
  page.setDefaultTimeout(45_000);
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    const { url: place } = message.location();
    // That a token is wanted is told as an error, too, and what the page is for.
    const isExpected = message.text().includes('status of 401');
    if (message.type() === 'error' && !isExpected) errors.push(`${place}: ${message.text()}`);
  });
  await page.goto(url);
  return page;
}
