import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, openImported, replyText } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const ADDRESS = 'https://pictures.example.com/tree.png?who=you';

/** Answers for the other server, and remembers what it was asked. */
async function openWithPicture(text = `Here:\n\n![A tree](${ADDRESS})`): Promise<{
  readonly page: Page;
  readonly asked: { readonly url: string; readonly referrer: string | undefined }[];
}> {
  stage.allow(/request to another place: https:\/\/pictures\.example\.com\/tree/);
  const asked: { readonly url: string; readonly referrer: string | undefined }[] = [];
  const { page } = await openImported(stage, text);
  await page.context().route('https://pictures.example.com/**', async (route) => {
    asked.push({ url: route.request().url(), referrer: (await route.request().allHeaders())['referer'] });
    await route.fulfill({ contentType: 'image/png', body: PIXEL });
  });
  return { page, asked };
}

const ask = (page: Page) => button(page, en['picture.show'].replace('{host}', 'pictures.example.com'));
const picture = (page: Page) => replyText(page, 2).locator('img.picture');

describe('pictures in messages', () => {
  it('WEB-113: nothing is fetched before a click that names the host', async () => {
    const { page, asked } = await openWithPicture();
    await replyText(page, 2).getByText('A tree').waitFor();
    await ask(page).waitFor();
    await expectAccessible(page, 'a picture that waits');
    await page.waitForTimeout(500);
    expect(asked).toEqual([]);
    await ask(page).click();
    await picture(page).waitFor();
    expect(await picture(page).getAttribute('alt')).toBe('A tree');
    expect(asked).toEqual([{ url: ADDRESS, referrer: undefined }]);
    // Another visit asks again.
    await page.reload();
    await ask(page).waitFor();
  });

  it('WEB-113: a host that is always shown is remembered, and can be withdrawn in the settings', async () => {
    const { page, asked } = await openWithPicture();
    await page.getByRole('checkbox', { name: en['picture.always'].replace('{host}', 'pictures.example.com') }).check();
    await ask(page).click();
    await picture(page).waitFor();
    await page.reload();
    await picture(page).waitFor();
    expect(asked.length).toBeGreaterThanOrEqual(1);
    await page.getByRole('link', { name: en['settings.title'], exact: true }).click();
    await button(page, en['settings.pictures.remove'].replace('{host}', 'pictures.example.com')).click();
    await page.goBack();
    await ask(page).waitFor();
  });

  it('WEB-113: addresses that are not encrypted web addresses are only named, and never fetched', async () => {
    const { page } = await openImported(
      stage,
      ['http://plain.example/a.png', 'data:image/png;base64,AAAA', 'javascript:1', '/api/projects', '//x.example/a.png']
        .map((address, index) => `![p${index}](${address})`)
        .join('\n\n'),
    );
    await replyText(page, 2).getByText('p0', { exact: true }).waitFor();
    expect(await replyText(page, 2).locator('img, button').count()).toBe(0);
  });

  it('WEB-113: one that cannot be loaded says so', async () => {
    stage.allow(/pictures\.example\.com|ERR_/);
    const { page } = await openImported(stage, `![A tree](${ADDRESS})`);
    await ask(page).click();
    await page.getByText(en['picture.failed'].replace('{host}', 'pictures.example.com')).waitFor();
  });
});
