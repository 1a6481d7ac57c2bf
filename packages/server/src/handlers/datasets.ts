import type { DatasetInput } from '@bough/api';
import { routes } from '@bough/api';
import type { Project } from '@bough/core';
import { projectId } from '@bough/core';
import type { DatasetOptions } from '@bough/transfer';
import { countDataset, datasetOptions, writeDataset, zipDirectory } from '@bough/transfer';
import { join } from 'node:path';
import { HttpProblem } from '../problem.ts';
import { bytesBody } from '../stream/bytes.ts';
import { attachment, fileNameOf } from '../transfer/export.ts';
import type { App, Parts } from './parts.ts';

/** Conversations and preferences as data to train and evaluate models with. */
export function datasetHandlers(app: App, { store, scratch, tools }: Parts): void {
  const projectsOf = async ({ project }: DatasetInput): Promise<readonly Project[]> =>
    project === undefined ? store.listProjects() : [await store.getProject(projectId(project))];
  const optionsOf = (query: DatasetInput): DatasetOptions => {
    const definitions = tools.definitions(tools.list().map(({ name }) => name));
    return datasetOptions({
      shape: query.shape ?? 'messages',
      format: query.format ?? 'jsonl',
      reasoning: query.reasoning ?? 'none',
      tools: query.tools !== 'false',
      files: query.files === 'true',
      notes: query.notes === 'true',
      starred: query.starred === 'true',
      verdicts: listed(query.verdict),
      blind: query.blind === 'true',
      models: listed(query.model),
      since: query.since,
      until: query.until,
      definitions: new Map(definitions.map((each) => [each.name, each])),
    });
  };

  app.openapi(routes.countDataset, async (context) => {
    const query = context.req.valid('query');
    // Whoever changes their mind asks again: without this, all that was asked before would be read to its end.
    const isWanted = (): void => requireClient(context.req.raw.signal);
    return context.json(await countDataset(store, await projectsOf(query), optionsOf(query), isWanted), 200);
  });
  app.openapi(routes.exportDataset, async (context) => {
    const query = context.req.valid('query');
    const options = optionsOf(query);
    const projects = await projectsOf(query);
    const [only] = query.project === undefined ? [] : projects;
    const name = `${fileNameOf(only?.name ?? 'bough')} ${options.shape}`;
    const scratched = await scratch.open();
    const directory = join(scratched.path, 'dataset');
    const isWanted = (): void => {
      requireClient(context.req.raw.signal);
      if (scratched.stopping.aborted)
        throw new HttpProblem(503, 'shutting_down', 'The server is stopping. Try again soon.');
    };
    try {
      await writeDataset(store, projects, directory, options, isWanted);
    } catch (error) {
      await scratched.remove();
      throw error;
    }
    return context.body(bytesBody(zipDirectory(directory, name), scratched.remove), 200, {
      'content-type': 'application/zip',
      'content-disposition': attachment(`${name}.zip`),
    });
  });
}

/** Nobody hears this: it ends the work, and is no failure that the log would have to tell. */
function requireClient(signal: AbortSignal): void {
  if (signal.aborted) throw new HttpProblem(499, 'client_gone', 'The client does not wait for this any more.');
}

const listed = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
