import type { ContractBackend, OpenedStore } from '../../contract/suite.ts';
import { openPostgresStore } from '../index.ts';
import type { TestServer } from './server.ts';
import { freshSchema } from './server.ts';

/** Opens stores for the contract: each in a schema of its own on one server. */
export function contractOn(server: () => Promise<TestServer>): ContractBackend {
  return {
    open: async (): Promise<OpenedStore> => {
      const schema = freshSchema();
      const { options, query } = await server();
      let store = await openPostgresStore(options(schema));
      return {
        store,
        reopen: async () => {
          await store.close();
          store = await openPostgresStore(options(schema));
          return store;
        },
        dispose: async () => {
          await store.close();
          await query(`DROP SCHEMA ${schema} CASCADE`);
        },
      };
    },
  };
}
