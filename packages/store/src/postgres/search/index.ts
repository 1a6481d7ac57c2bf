import type { Store } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import type { SearchNeeds } from '../../search/run.ts';
import { runSearch } from '../../search/run.ts';
import { leadingBranches } from './branches.ts';
import { candidatesIn } from './candidates.ts';
import type { IndexLater } from './index-later.ts';

type Needs = SearchNeeds;

export function searchMethods(database: Database, store: Needs, later: IndexLater): Pick<Store, 'search'> {
  return {
    search: (request) =>
      runSearch(
        store,
        {
          candidates: candidatesIn(database),
          prepare: () => later.prepare(),
          leadingBranches: (project, nodes) => leadingBranches(database, project, nodes),
        },
        request,
      ),
  };
}
