import { describe } from 'vitest';
import { describeStoreContract } from '../contract/suite.ts';
import { contractOn } from './testing/contract.ts';
import { externalTestServer, useTestServer } from './testing/server.ts';

describeStoreContract('postgres, embedded', contractOn(useTestServer()));

const external = externalTestServer();
describe.runIf(external !== null)('with TEST_DATABASE_URL', () => {
  if (external !== null)
    describeStoreContract(
      'postgres, external',
      contractOn(() => Promise.resolve(external)),
    );
});
