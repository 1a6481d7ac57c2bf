import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conversations } from '../testing/conversations.ts';
import { makeConversations } from '../testing/conversations.ts';
import type { Lab } from '../testing/lab.ts';
import { ask, bridged, openLab } from '../testing/lab.ts';
import { REFUSED } from '../testing/refused.ts';
import type { WireReport } from '../wire/index.ts';

let lab: Lab;
let made: Conversations;
beforeAll(async () => {
  lab = await openLab();
  made = await makeConversations(lab);
});
afterAll(() => lab.close());

describe.each(REFUSED)('$name', ({ to: [vendor, id], history, options = {}, refusal, reported, sends, never }) => {
  it('AIS-10: is refused without the bridge', async () => {
    const { status, error } = await ask(lab.model(vendor, id), history(made), options);
    expect(error).toMatch(refusal.words);
    expect(status).toBe(refusal.status);
  });

  it('AIS-11: is accepted with it, and the body at the wire and the report say why', async () => {
    const { model, reports } = bridged(lab.model(vendor, id));
    const answer = await ask(model, history(made), options);
    expect(answer.error).toBe('');
    expect(answer.status).toBe(200);
    const sent = JSON.stringify(lab.exchanges.at(-1)?.body);
    if (sends !== undefined) expect(sent).toContain(sends);
    if (never !== undefined) expect(sent).not.toContain(never);
    const [report] = reports;
    const told = [
      ...(report?.messages.flatMap(({ reasons }) => reasons) ?? []),
      ...(report?.settings.map(({ setting }) => `setting:${setting}`) ?? []),
    ];
    expect(told).toContain(reported);
  });

  it('AIS-12: leaves nothing for the rulebook to repair', async () => {
    const found: WireReport[] = [];
    const { model } = bridged(lab.model(vendor, id, { onReport: (report) => found.push(report) }));
    await ask(model, history(made), options);
    expect(found).toEqual([]);
  });
});
