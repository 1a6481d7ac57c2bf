import { nodeId } from '@bough/core';
import { describe, expect, it } from 'vitest';
import type { PreparedRequest } from '../../../protocol.ts';
import { OPENAI, own, prepare, user } from './testing.ts';

const ran = (id: string, container_id: string) => ({
  id,
  type: 'code_interpreter_call',
  status: 'completed',
  container_id,
  code: 'print(1)',
  outputs: [{ type: 'logs', logs: '1' }],
});
const message = (id: string) => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'One.', annotations: [] }],
});

const first = [user('u1', 'One?'), own('a1', [ran('ci_1', 'cntr_1'), message('msg_1')]), user('u2', 'Two?')];
const storedIn = (...requests: readonly PreparedRequest[]) => {
  const stored = new Map(
    requests.flatMap(({ renderings }) => renderings.map(({ nodeId: id, key, bytes }) => [`${id} ${key}`, bytes])),
  );
  return { renderingOf: (id: string, key: string) => stored.get(`${id} ${key}`) };
};

describe('a container that is gone', () => {
  it('PT-150: stays out of later requests, and a newer one is named', () => {
    const alive = prepare(first);
    expect(alive).toMatchObject({ namesContainer: true, openNodes: [nodeId('a1')] });
    const without = prepare(first, { ...storedIn(alive), mayUseContainers: false });
    const after = [...first, own('a2', [ran('ci_2', 'cntr_2'), message('msg_2')]), user('u3', 'Three?')];
    const later = prepare(after, storedIn(alive, without));
    expect(later.body).not.toContain('cntr_1');
    expect(later.body).toContain('I ran this code');
    expect(later).toMatchObject({ namesContainer: true, openNodes: [nodeId('a2')] });
    expect(later.notes).toMatchObject([{ nodeId: nodeId('a1'), reason: 'container_expired' }]);
    expect(later.renderings.map(({ bytes }) => bytes)).not.toContain('null');
  });

  it('PT-160: the files that a new one is to have are in the tool from then on, and their node is not cached', () => {
    const code = { providerTools: [{ tool: 'code_execution' as const }] };
    const alive = prepare(first, code);
    expect(alive).toMatchObject({ takesContainerFiles: true });
    const files = { mayUseContainers: false, containerFiles: ['file-1'] };
    const without = prepare(first, { ...code, ...storedIn(alive), ...files });
    const after = [...first, own('a2', [ran('ci_2', 'cntr_2'), message('msg_2')]), user('u3', 'Three?')];
    for (const request of [without, prepare(after, { ...code, ...storedIn(alive, without) })]) {
      expect(request.body).toContain('"container":{"type":"auto","file_ids":["file-1"]}');
      expect(request.openNodes).toContain(nodeId('a1'));
      expect(request.namesFiles).toBe(true);
    }
    const lost = prepare(after, { ...code, ...storedIn(alive, without), mayBringFiles: false });
    expect(lost.body).not.toContain('file-1');
  });

  it('PT-150: stays out where raw is lost and what was sent before is left', () => {
    const alive = prepare(first);
    const lost = first.map(({ item }) => ({ item }));
    expect(prepare(lost, storedIn(alive)).body).toContain('cntr_1');
    const without = prepare(lost, { ...storedIn(alive), mayUseContainers: false });
    expect(without.body).not.toContain('cntr_1');
    expect(prepare(lost, storedIn(alive, without)).body).not.toContain('cntr_1');
  });

  it('PT-150: a stored response that ran in it is named as such, and is not continued', () => {
    const deployment = { ...OPENAI, quirks: { ...OPENAI.quirks, storeResponses: true } };
    const continued = { deployment, previousResponse: { id: 'resp_1', nodeId: nodeId('a1') } };
    const chained = prepare(first, continued);
    expect(chained.body).toContain('"previous_response_id"');
    expect(chained.namesContainer).toBe(true);
    const without = prepare(first, { ...continued, mayUseContainers: false });
    expect(without.body).not.toContain('"previous_response_id"');
  });
});
