import { afterAll, describe } from 'vitest';
import { describeStoreContract } from '../contract/suite.ts';
import { contractOn } from './testing/contract.ts';
import type { TestServer } from './testing/server.ts';
import { externalTestServer, startTestServer } from './testing/server.ts';

let embedded: Promise<TestServer> | null = null;

afterAll(async () => {
  await (await embedded)?.dispose();
});

describeStoreContract(
  'postgres, embedded',
  contractOn(() => (embedded ??= startTestServer())),
);

const external = externalTestServer();
describe.runIf(external !== null)('with TEST_DATABASE_URL', () => {
  if (external !== null)
    describeStoreContract(
      'postgres, external',
      contractOn(() => Promise.resolve(external)),
    );
});
