import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conversations } from '../testing/conversations.ts';
import { makeConversations } from '../testing/conversations.ts';
import type { Lab } from '../testing/lab.ts';
import { ask, bridged, openLab } from '../testing/lab.ts';
import { REFUSED } from '../testing/refused.ts';
import type { WireReport } from '../wire/index.ts';

let lab: Lab;
let made: Conversations;

describe.each([6, 7] as const)('with version %i of the AI SDK', (version) => {
  beforeAll(async () => {
    lab = await openLab({}, version);
    made = await makeConversations(lab);
  });
  afterAll(() => lab.close());

  describe.each(REFUSED)(
    '$name',
    ({ to: [vendor, id], history, options = {}, refusal, onlyIn6, reported, sends, never }) => {
      it('AIS-10: is refused without the bridge', async () => {
        const { status, error } = await ask(lab.model(vendor, id), history(made), { ...options, sdk: lab.sdk });
        const isRefused = version === 6 || onlyIn6 !== true;
        expect(error).toMatch(isRefused ? refusal.words : /^$/);
        expect(status).toBe(isRefused ? refusal.status : 200);
      });

      it('AIS-11: is accepted with it, and the body at the wire and the report say why', async () => {
        const { model, reports } = bridged(lab.model(vendor, id), {}, lab.sdk);
        const answer = await ask(model, history(made), { ...options, sdk: lab.sdk });
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
        const { model } = bridged(lab.model(vendor, id, { onReport: (report) => found.push(report) }), {}, lab.sdk);
        await ask(model, history(made), { ...options, sdk: lab.sdk });
        expect(found).toEqual([]);
      });
    },
  );
});
