import type * as t from '../types.ts';
import { ApiError, problemOf } from './problem.ts';

export { ApiError } from './problem.ts';

export interface ClientOptions {
  /** Where the server is; empty for a page served by the server itself. */
  readonly baseUrl?: string;
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export type Client = ReturnType<typeof createClient>;

/**
 * A typed method for every route. Failures are `ApiError`s with the server's code; streams are returned as bytes (see
 * `session/`).
 */
export function createClient(options: ClientOptions = {}) {
  const call = async (
    method: Method,
    path: string,
    { query = {}, body, signal }: CallOptions = {},
  ): Promise<Response> => {
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
    const url = `${options.baseUrl ?? ''}/api${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
    const headers: Record<string, string> = { accept: 'application/json, application/x-ndjson' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`;
    const response = await (options.fetch ?? fetch)(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((cause: unknown) => {
      if (signal?.aborted === true) throw cause;
      throw new ApiError(
        { status: 0, code: 'unreachable', detail: 'The server cannot be reached. Is it running?' },
        { cause },
      );
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  };
  // The server validates what it sends against the same schemas; here the type is taken as given.
  const read = async <View>(method: Method, path: string, call_: CallOptions = {}): Promise<View> =>
    (await (await call(method, path, call_)).json()) as View;
  const act = async (method: Method, path: string, call_: CallOptions = {}): Promise<void> => {
    await call(method, path, call_);
  };
  const at = (id: string) => `/projects/${encodeURIComponent(id)}`;
  const branchAt = (id: string, name: string) => `${at(id)}/branches/${encodeURIComponent(name)}`;
  const nodeAt = (nodeId: string) => `/nodes/${encodeURIComponent(nodeId)}`;
  const turnAt = (id: string, turnId: string) => `${at(id)}/turns/${encodeURIComponent(turnId)}`;
  const trashAt = (trashId: string) => `/trash/${encodeURIComponent(trashId)}`;
  const providerAt = (id: string) => `/providers/${encodeURIComponent(id)}`;

  return {
    /** All projects, or a page of them if there is a `limit`. */
    listProjects: (query: t.ListProjectsInput = {}) => read<t.ProjectListView>('GET', '/projects', { query }),
    createProject: (body: t.CreateProjectInput) =>
      read<{ project: t.ProjectView; branch: t.BranchView; notices: t.ModelNoticeView[] }>('POST', '/projects', {
        body,
      }),
    getProject: (id: string) => read<{ project: t.ProjectView; branches: t.BranchView[] }>('GET', at(id)),
    updateProject: (id: string, body: t.UpdateProjectInput) =>
      read<{ project: t.ProjectView }>('PATCH', at(id), { body }),
    deleteProject: (id: string) => read<{ trashId: string }>('DELETE', at(id)),

    listBranches: (id: string) => read<{ branches: t.BranchView[] }>('GET', `${at(id)}/branches`),
    createBranch: (id: string, body: t.CreateBranchInput) =>
      read<{ branch: t.BranchView; notices: t.ModelNoticeView[] }>('POST', `${at(id)}/branches`, { body }),
    updateBranch: (id: string, name: string, body: t.UpdateBranchInput) =>
      read<{ branch: t.BranchView; notices?: t.ModelNoticeView[] }>('PATCH', branchAt(id, name), { body }),
    deleteBranch: (id: string, name: string) => read<{ trashId: string }>('DELETE', branchAt(id, name)),
    branchDeletion: (id: string, name: string) => read<t.DeletionView>('GET', `${branchAt(id, name)}/deletion`),

    chat: (id: string, body: t.ChatInput, signal?: AbortSignal) => call('POST', `${at(id)}/chat`, { body, signal }),
    edit: (id: string, body: t.EditInput, signal?: AbortSignal) => call('POST', `${at(id)}/edit`, { body, signal }),
    continueTurn: (id: string, body: t.ContinueInput, signal?: AbortSignal) =>
      call('POST', `${at(id)}/continue`, { body, signal }),
    regenerate: (id: string, body: t.RegenerateInput) =>
      read<t.StartedTurnsView>('POST', `${at(id)}/regenerate`, { body }),
    interrupt: (id: string, body: t.InterruptInput) =>
      read<{ turnId: string }>('POST', `${at(id)}/interrupt`, { body }),
    approve: (id: string, body: t.ApproveInput) => read<{ turnId: string }>('POST', `${at(id)}/approve`, { body }),
    turnStream: (id: string, turnId: string, after: number, signal?: AbortSignal) =>
      call('GET', `${at(id)}/turns/${encodeURIComponent(turnId)}/stream`, { query: { after }, signal }),
    watchProject: (id: string, signal?: AbortSignal) => call('GET', `${at(id)}/watch`, { signal }),

    history: (
      id: string,
      query: { ref: string; before?: string; after?: string; around?: string; limit?: number },
      signal?: AbortSignal,
    ) => read<t.HistoryView>('GET', `${at(id)}/history`, { query, signal }),
    /** With what the client has, only what is new, if nothing else changed. */
    graph: (id: string, query: { after?: string; count?: number } = {}) =>
      read<t.GraphView>('GET', `${at(id)}/graph`, { query }),
    search: (id: string, q: string, limit?: number) =>
      read<t.SearchView>('GET', `${at(id)}/search`, { query: { q, limit } }),
    context: (id: string, body: t.ContextInput) => read<t.ContextView>('POST', `${at(id)}/context`, { body }),
    contextReport: (id: string, body: t.ContextReportInput) =>
      read<t.ContextReport>('POST', `${at(id)}/context/report`, { body }),
    raw: (id: string, nodeId: string) => read<t.RawView>('GET', `${at(id)}${nodeAt(nodeId)}/raw`),
    setThinking: (id: string, nodeId: string, includeInContext: boolean) =>
      read<{ node: t.NodeView; warning: string | null }>('PUT', `${at(id)}${nodeAt(nodeId)}/thinking`, {
        body: { includeInContext },
      }),
    deleteNode: (id: string, nodeId: string, mode: 'cascade' | 'reparent') =>
      read<{ removed: string[]; trashId: string }>('DELETE', `${at(id)}${nodeAt(nodeId)}`, { query: { mode } }),
    nodeDeletion: (id: string, nodeId: string, mode: 'cascade' | 'reparent') =>
      read<t.DeletionView>('GET', `${at(id)}${nodeAt(nodeId)}/deletion`, { query: { mode } }),
    deleteTurn: (id: string, turnId: string, mode: 'cascade' | 'reparent') =>
      read<{ removed: string[]; trashId: string }>('DELETE', turnAt(id, turnId), { query: { mode } }),
    turnDeletion: (id: string, turnId: string, mode: 'cascade' | 'reparent') =>
      read<t.DeletionView>('GET', `${turnAt(id, turnId)}/deletion`, { query: { mode } }),

    /** What can be restored: of one project, or of all. */
    listTrash: (project?: string) => read<{ entries: t.TrashEntryView[] }>('GET', '/trash', { query: { project } }),
    restoreTrash: (trashId: string) => read<{ entry: t.TrashEntryView }>('POST', `${trashAt(trashId)}/restore`),
    purgeTrash: (trashId: string) => act('DELETE', trashAt(trashId)),
    emptyTrash: (project?: string) => read<{ purged: number }>('DELETE', '/trash', { query: { project } }),

    appendMessages: (parentId: string, body: t.AppendInput) =>
      read<t.AppendedView>('POST', `${nodeAt(parentId)}/append`, { body }),
    editContent: (nodeId: string, content: t.MessageContentInput) =>
      read<{ node: t.NodeView }>('PUT', `${nodeAt(nodeId)}/content`, { body: { content } }),
    getNode: (nodeId: string) => read<{ node: t.NodeView }>('GET', nodeAt(nodeId)),
    getPath: (nodeId: string) => read<{ nodes: t.NodeView[] }>('GET', `${nodeAt(nodeId)}/path`),
    getChildren: (nodeId: string) => read<{ nodes: t.NodeView[] }>('GET', `${nodeAt(nodeId)}/children`),
    getSiblings: (nodeId: string) => read<{ nodes: t.NodeView[] }>('GET', `${nodeAt(nodeId)}/siblings`),

    openSession: (token: string) => act('POST', '/session', { body: { token } }),
    session: () => read<{ tokenRequired: boolean }>('GET', '/session'),
    closeSession: () => act('DELETE', '/session'),
    listProviders: () => read<t.ProviderListView>('GET', '/providers'),
    setProviderKey: (id: string, key: string) => act('PUT', `${providerAt(id)}/key`, { body: { key } }),
    deleteProviderKey: (id: string) => act('DELETE', `${providerAt(id)}/key`),
    setProviderBaseUrl: (id: string, baseUrl: string | null) =>
      act('PUT', `${providerAt(id)}/base-url`, { body: { baseUrl } }),
    setDefaults: (body: { provider: string; model: string }) => act('PUT', '/defaults', { body }),
    listTools: () => read<{ tools: t.ToolView[] }>('GET', '/tools'),
    diagnostics: () => read<t.DiagnosticsView>('GET', '/diagnostics/thinking'),
    health: () => read<t.HealthView>('GET', '/healthz'),
  };
}
