import type * as t from '../types.ts';
import { ApiError, problemOf } from './problem.ts';

export { ApiError } from './problem.ts';

export interface ClientOptions {
  /** Where the server is; empty for a page served by the server itself. */
  readonly baseUrl?: string;
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** What an error says, for readers of another language; without it, the server's own sentence. */
  readonly tell?: (error: ApiError) => Promise<string>;
}

/** The bytes of a file: all of them, or as they come (where fetch can send a stream). */
export type FileBytes = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Sent as they are. */
  readonly bytes?: FileBytes;
  readonly signal?: AbortSignal | undefined;
}

export type Client = ReturnType<typeof createClient>;

/**
 * A typed method for every route. Failures are `ApiError`s with the server's code; streams are returned as bytes (see
 * `session/`).
 */
export function createClient(options: ClientOptions = {}) {
  const addressOf = (path: string, query: NonNullable<CallOptions['query']>): string => {
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
    return `${options.baseUrl ?? ''}/api${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
  };
  const told = async (error: ApiError): Promise<ApiError> => {
    if (options.tell === undefined) return error;
    const { status, code, extra, cause } = error;
    return new ApiError({ status, code, extra, detail: await options.tell(error) }, { cause });
  };
  const call = async (
    method: Method,
    path: string,
    { query = {}, body, bytes, signal }: CallOptions = {},
  ): Promise<Response> => {
    const url = addressOf(path, query);
    const headers: Record<string, string> = { accept: 'application/json, application/x-ndjson' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (bytes !== undefined) headers['content-type'] = 'application/octet-stream';
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`;
    const response = await (options.fetch ?? fetch)(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(bytes === undefined ? {} : streamed(bytes)),
      ...(signal === undefined ? {} : { signal }),
    }).catch(async (cause: unknown) => {
      if (signal?.aborted === true) throw cause;
      const detail = 'The server cannot be reached. Is it running?';
      throw await told(new ApiError({ status: 0, code: 'unreachable', detail }, { cause }));
    });
    if (!response.ok) throw await told(await problemOf(response));
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
  const setAt = (id: string) => `/question-sets/${encodeURIComponent(id)}`;
  const roundAt = (id: string) => `/rounds/${encodeURIComponent(id)}`;
  const presetAt = (id: string) => `/presets/${encodeURIComponent(id)}`;
  const promptAt = (id: string) => `/prompts/${encodeURIComponent(id)}`;
  const deploymentAt = (id: string) => `/deployments/${encodeURIComponent(id)}`;
  const mcpServerAt = (name: string) => `/mcp-servers/${encodeURIComponent(name)}`;
  const budgetAt = (name: string) => `/budgets/${encodeURIComponent(name)}`;
  const providerAt = (id: string) => `/providers/${encodeURIComponent(id)}`;

  return {
    /** A page of the projects, the last used first. */
    listProjects: (query: t.ListProjectsInput = {}, signal?: AbortSignal) =>
      read<t.ProjectListView>('GET', '/projects', { query, signal }),
    createProject: (body: t.CreateProjectInput) =>
      read<{ project: t.ProjectView; branch: t.BranchView; notices: t.ModelNoticeView[] }>('POST', '/projects', {
        body,
      }),
    getProject: (id: string) => read<{ project: t.ProjectDetailsView; branches: t.BranchView[] }>('GET', at(id)),
    updateProject: (id: string, body: t.UpdateProjectInput) =>
      read<{ project: t.ProjectDetailsView }>('PATCH', at(id), { body }),
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
    /** One message to several models: each answer is a turn on a branch of its own. */
    ask: (id: string, body: t.AskInput) => read<t.AskedView>('POST', `${at(id)}/ask`, { body }),
    askEstimate: (id: string, body: t.AskInput, signal?: AbortSignal) =>
      read<t.AskEstimate>('POST', `${at(id)}/ask/estimate`, { body, signal }),
    /** Keeps some answers to a message; the others go to the trash. */
    keepAnswers: (id: string, body: t.KeepInput) => read<t.KeptView>('POST', `${at(id)}/ask/keep`, { body }),
    interrupt: (id: string, body: t.InterruptInput) => read<t.InterruptedView>('POST', `${at(id)}/interrupt`, { body }),
    approve: (id: string, body: t.ApproveInput) => read<{ turnId: string }>('POST', `${at(id)}/approve`, { body }),
    turnStream: (id: string, turnId: string, after: number, signal?: AbortSignal) =>
      call('GET', `${at(id)}/turns/${encodeURIComponent(turnId)}/stream`, { query: { after }, signal }),
    /** What happens in any project, and every change of the one that is shown. */
    watch: (project?: string, signal?: AbortSignal) => call('GET', '/watch', { query: { project }, signal }),
    watchProject: (id: string, signal?: AbortSignal) => call('GET', `${at(id)}/watch`, { signal }),

    history: (
      id: string,
      query: { ref: string; before?: string; after?: string; around?: string; limit?: number },
      signal?: AbortSignal,
    ) => read<t.HistoryView>('GET', `${at(id)}/history`, { query, signal }),
    /**
     * The tree of a project; the outline of a large one. With what the client has, only what is new, if nothing else
     * changed; with a limit, a part.
     */
    graph: (id: string, query: t.GraphInput = {}, signal?: AbortSignal) =>
      read<t.GraphView>('GET', `${at(id)}/graph`, { query, signal }),
    /** The nodes whose ids begin with this. */
    findNodes: (id: string, start: string) =>
      read<{ ids: string[] }>('GET', `${at(id)}/nodes`, { query: { id: start } }),
    /** In all projects, or in one. */
    search: (query: t.SearchInput, signal?: AbortSignal) => read<t.SearchView>('GET', '/search', { query, signal }),
    context: (id: string, body: t.ContextInput) => read<t.ContextView>('POST', `${at(id)}/context`, { body }),
    contextReport: (id: string, body: t.ContextReportInput) =>
      read<t.ContextReport>('POST', `${at(id)}/context/report`, { body }),
    /** What a summary would stand for, do and cost. */
    compaction: (id: string, body: t.CompactionInput) =>
      read<t.CompactionPreview>('POST', `${at(id)}/compaction`, { body }),
    /** Waits until the summary is written. */
    compact: (id: string, body: t.CompactInput, signal?: AbortSignal) =>
      read<t.CompactedView>('POST', `${at(id)}/compact`, { body, signal }),
    /** The summary that counts on a branch. */
    summary: (id: string, ref: string) => read<t.SummaryView>('GET', `${at(id)}/summary`, { query: { ref } }),
    /** What a merge would bring, and what that costs. */
    mergePreview: (id: string, body: t.MergePreviewInput) =>
      read<t.MergePreview>('POST', `${at(id)}/merge/preview`, { body }),
    /** Waits until the summary is written, where one is asked for; aborted before, it brings nothing. */
    merge: (id: string, body: t.MergeInput, signal?: AbortSignal) =>
      read<t.MergedView>('POST', `${at(id)}/merge`, { body, signal }),
    readMerge: (id: string, nodeId: string) => read<t.MergeView>('GET', `${at(id)}${nodeAt(nodeId)}/merge`),
    raw: (id: string, nodeId: string) => read<t.RawView>('GET', `${at(id)}${nodeAt(nodeId)}/raw`),
    setThinking: (id: string, nodeId: string, includeInContext: boolean, ref?: string) =>
      read<{ node: t.NodeView; warning: string | null }>('PUT', `${at(id)}${nodeAt(nodeId)}/thinking`, {
        body: { includeInContext, ...(ref === undefined ? {} : { ref }) },
      }),
    deleteNode: (id: string, nodeId: string, mode: 'cascade' | 'reparent') =>
      read<{ removed: string[]; trashId: string }>('DELETE', `${at(id)}${nodeAt(nodeId)}`, { query: { mode } }),
    nodeDeletion: (id: string, nodeId: string, mode: 'cascade' | 'reparent') =>
      read<t.DeletionView>('GET', `${at(id)}${nodeAt(nodeId)}/deletion`, { query: { mode } }),
    deleteTurn: (id: string, turnId: string, mode: 'cascade' | 'reparent') =>
      read<{ removed: string[]; trashId: string }>('DELETE', turnAt(id, turnId), { query: { mode } }),
    /** The calls of a turn that a client of the gateway made. */
    exchanges: (id: string, turnId: string) =>
      read<{ calls: t.RecordedCallView[] }>('GET', `${turnAt(id, turnId)}/exchanges`),
    exchange: (id: string, turnId: string, callId: string) =>
      read<t.ExchangeView>('GET', `${turnAt(id, turnId)}/exchanges/${encodeURIComponent(callId)}`),
    /** Where a body is, to the byte. */
    exchangeBodyUrl: (id: string, turnId: string, callId: string, of: 'came' | 'sent') =>
      addressOf(`${turnAt(id, turnId)}/exchanges/${encodeURIComponent(callId)}/body`, { of }),
    turnDeletion: (id: string, turnId: string, mode: 'cascade' | 'reparent') =>
      read<t.DeletionView>('GET', `${turnAt(id, turnId)}/deletion`, { query: { mode } }),

    listAnnotations: (query: t.AnnotationsInput = {}) =>
      read<{ annotations: t.ListedAnnotation[]; total: number }>('GET', '/annotations', { query }),
    projectAnnotations: (id: string) => read<{ annotations: t.AnnotationView[] }>('GET', `${at(id)}/annotations`),
    annotateNode: (id: string, nodeId: string, change: t.AnnotateNodeInput) =>
      read<{ annotations: t.AnnotationView[] }>('PUT', `${at(id)}${nodeAt(nodeId)}/annotations`, { body: change }),
    /** The project's document as a branch has it, or one of its versions. */
    canvas: (id: string, ref: string, version?: string) =>
      read<{ canvas: t.CanvasView | null }>('GET', `${at(id)}/canvas`, { query: { ref, version } }),
    canvasHistory: (id: string, ref: string) =>
      read<{ versions: t.CanvasVersionView[] }>('GET', `${at(id)}/canvas/history`, { query: { ref } }),
    writeCanvas: (id: string, edit: t.WriteCanvasInput) =>
      read<{ canvas: t.CanvasView }>('PUT', `${at(id)}/canvas`, { body: edit }),
    mergeCanvas: (id: string, merge: t.MergeCanvasInput) =>
      read<t.MergedCanvasView>('POST', `${at(id)}/canvas/merge`, { body: merge }),
    askAbout: (id: string, question: t.AskAboutInput) =>
      read<t.AskedAboutView>('POST', `${at(id)}/questions`, { body: question }),
    listQuestions: (id: string, nodes?: readonly string[]) =>
      read<{ questions: t.QuestionView[] }>('GET', `${at(id)}/questions`, { query: { nodes: nodes?.join(',') } }),
    deleteQuestion: (id: string, branch: string) =>
      read<{ trashId: string }>('DELETE', `${at(id)}/questions/${encodeURIComponent(branch)}`),
    judge: (id: string, comparison: t.JudgeInput) =>
      read<{ comparison: string; annotations: t.AnnotationView[] }>('POST', `${at(id)}/verdicts`, {
        body: comparison,
      }),
    judgedModels: (project?: string) => read<{ models: t.ModelResult[] }>('GET', '/verdicts', { query: { project } }),
    /** What can be restored: of one project, or of all. */
    listTrash: (project?: string) => read<{ entries: t.TrashEntryView[] }>('GET', '/trash', { query: { project } }),
    restoreTrash: (trashId: string) => read<{ entry: t.TrashEntryView }>('POST', `${trashAt(trashId)}/restore`),
    purgeTrash: (trashId: string) => act('DELETE', trashAt(trashId)),
    emptyTrash: (project?: string) => read<{ purged: number }>('DELETE', '/trash', { query: { project } }),

    importLimits: () => read<{ maxBytes: number }>('GET', '/import'),
    /** The lines of the answer are `ImportLine`s. */
    importFile: (file: Blob | Uint8Array<ArrayBuffer>, query: t.ImportInput = {}, signal?: AbortSignal) =>
      call('POST', '/import', { bytes: file, query, signal }),
    /** The bytes of a ZIP file, or the text of a document. */
    exportProject: (id: string, query: t.ExportInput = {}) => call('GET', `${at(id)}/export`, { query }),
    /** The bytes of a ZIP file. */
    exportDataset: (query: t.DatasetInput = {}) => call('GET', '/dataset', { query }),
    countDataset: (query: t.DatasetInput = {}, signal?: AbortSignal) =>
      read<t.DatasetCountView>('GET', '/dataset/count', { query, signal }),

    appendMessages: (parentId: string, body: t.AppendInput) =>
      read<t.AppendedView>('POST', `${nodeAt(parentId)}/append`, { body }),
    editContent: (nodeId: string, content: t.MessageContentInput) =>
      read<{ node: t.NodeView }>('PUT', `${nodeAt(nodeId)}/content`, { body: { content } }),
    getNode: (nodeId: string) => read<{ node: t.NodeView }>('GET', nodeAt(nodeId)),
    getPath: (nodeId: string) => read<{ nodes: t.NodeView[] }>('GET', `${nodeAt(nodeId)}/path`),
    getChildren: (nodeId: string) => read<{ nodes: t.NodeView[] }>('GET', `${nodeAt(nodeId)}/children`),
    getSiblings: (nodeId: string) => read<{ nodes: t.NodeView[] }>('GET', `${nodeAt(nodeId)}/siblings`),

    /** Fits and keeps a file; the answer's block goes into a message as it is. */
    uploadBlob: (name: string, bytes: FileBytes, signal?: AbortSignal) =>
      read<t.UploadView>('POST', '/blobs', { query: { name }, bytes, signal }),
    /** The bytes of a file that a project refers to or, without a project, of one that was just uploaded. */
    getBlob: (hash: string, project?: string) =>
      call('GET', `/blobs/${encodeURIComponent(hash)}`, { query: { project } }),
    /** Where a page finds the same bytes. */
    blobUrl: (hash: string, query: { readonly project?: string; readonly name?: string } = {}) =>
      addressOf(`/blobs/${encodeURIComponent(hash)}`, query),

    openSession: (token: string) => act('POST', '/session', { body: { token } }),
    session: () => read<{ tokenRequired: boolean }>('GET', '/session'),
    closeSession: () => act('DELETE', '/session'),
    listProviders: () => read<t.ProviderListView>('GET', '/providers'),
    setProviderKey: (id: string, key: string) => act('PUT', `${providerAt(id)}/key`, { body: { key } }),
    deleteProviderKey: (id: string) => act('DELETE', `${providerAt(id)}/key`),
    setProviderBaseUrl: (id: string, baseUrl: string | null) =>
      act('PUT', `${providerAt(id)}/base-url`, { body: { baseUrl } }),
    testProvider: (id: string) => read<t.ProviderCheckView>('POST', `${providerAt(id)}/test`),
    listDeployments: () => read<t.DeploymentListView>('GET', '/deployments'),
    setDeployment: (id: string, body: t.DeploymentInput) =>
      read<{ deployment: t.DeploymentView }>('PUT', deploymentAt(id), { body }),
    deleteDeployment: (id: string) => act('DELETE', deploymentAt(id)),
    listMcpServers: () => read<t.McpServerListView>('GET', '/mcp-servers'),
    setMcpServer: (name: string, body: t.McpServerInput) =>
      read<{ server: t.McpServerView }>('PUT', mcpServerAt(name), { body }),
    deleteMcpServer: (name: string) => act('DELETE', mcpServerAt(name)),
    reconnectMcpServer: (name: string) => read<{ server: t.McpServerView }>('POST', `${mcpServerAt(name)}/reconnect`),
    setApproval: (pattern: string, policy: t.ApprovalPolicy | null) =>
      act('PUT', '/approval', { body: { pattern, policy } }),
    listBudgets: (query: { readonly project?: string } = {}) => read<t.BudgetListView>('GET', '/budgets', { query }),
    costs: (query: t.CostsInput = {}) => read<t.CostsView>('GET', '/costs', { query }),
    costsCsv: async (query: t.CostsInput = {}) => (await call('GET', '/costs.csv', { query })).text(),
    branchCosts: (project: string, ref: string) => read<t.CostsView>('GET', `${branchAt(project, ref)}/costs`),
    setBudget: (name: string, body: t.BudgetInput) => act('PUT', budgetAt(name), { body }),
    deleteBudget: (name: string) => act('DELETE', budgetAt(name)),
    setDefaults: (body: { provider: string; model: string }) => act('PUT', '/defaults', { body }),
    listQuestionSets: () => read<{ sets: t.QuestionSetView[] }>('GET', '/question-sets'),
    createQuestionSet: (body: t.CreateQuestionSetInput) =>
      read<{ set: t.WholeQuestionSetView }>('POST', '/question-sets', { body }),
    /** By id or name. */
    getQuestionSet: (id: string) => read<{ set: t.WholeQuestionSetView }>('GET', setAt(id)),
    updateQuestionSet: (id: string, body: t.UpdateQuestionSetInput) =>
      read<{ set: t.WholeQuestionSetView }>('PATCH', setAt(id), { body }),
    deleteQuestionSet: (id: string) => act('DELETE', setAt(id)),
    estimateRound: (id: string, body: t.EstimateRoundInput, signal?: AbortSignal) =>
      read<t.RoundEstimateView>('POST', `${setAt(id)}/estimate`, { body, signal }),
    startRound: (id: string, body: t.StartRoundInput) =>
      read<{ round: t.RoundView }>('POST', `${setAt(id)}/rounds`, { body }),
    getRound: (id: string, query: { offset?: number; limit?: number; characters?: number } = {}) =>
      read<t.RoundTableView>('GET', roundAt(id), { query }),
    roundCsv: async (id: string) => (await call('GET', `${roundAt(id)}/answers.csv`)).text(),
    updateRound: (id: string, body: t.UpdateRoundInput) => read<{ round: t.RoundView }>('PATCH', roundAt(id), { body }),
    deleteRound: (id: string) => act('DELETE', roundAt(id)),
    listPresets: () => read<{ presets: t.PresetView[] }>('GET', '/presets'),
    createPreset: (body: t.CreatePresetInput) => read<{ preset: t.PresetView }>('POST', '/presets', { body }),
    updatePreset: (id: string, body: t.UpdatePresetInput) =>
      read<{ preset: t.PresetView }>('PATCH', presetAt(id), { body }),
    deletePreset: (id: string) => act('DELETE', presetAt(id)),
    listPrompts: () => read<{ prompts: t.PromptView[] }>('GET', '/prompts'),
    createPrompt: (body: t.CreatePromptInput) => read<{ prompt: t.PromptView }>('POST', '/prompts', { body }),
    updatePrompt: (id: string, body: t.UpdatePromptInput) =>
      read<{ prompt: t.PromptView }>('PATCH', promptAt(id), { body }),
    deletePrompt: (id: string) => act('DELETE', promptAt(id)),
    /** Adds those that are not there yet. */
    importPrompts: (prompts: readonly t.CreatePromptInput[]) =>
      read<{ added: number; skipped: number }>('POST', '/prompts/import', { body: { prompts } }),
    titleModel: () => read<t.TitleModelView>('GET', '/title-model'),
    setTitleModel: (model: t.TitleModelView['model']) => act('PUT', '/title-model', { body: { model } }),
    listTools: () => read<{ tools: t.ToolView[] }>('GET', '/tools'),
    gateway: () => read<t.GatewayView>('GET', '/gateway'),
    /** The projects that other clients talk into, the last used first. */
    gatewaySessions: (query: { limit?: number; offset?: number } = {}) =>
      read<{ sessions: t.GatewaySessionView[]; total: number }>('GET', '/gateway/sessions', { query }),
    diagnostics: () => read<t.DiagnosticsView>('GET', '/diagnostics/thinking'),
    health: () => read<t.HealthView>('GET', '/healthz'),
  };
}

/** A stream is sent while it is read; fetch asks to be told that the answer comes after it. */
function streamed(bytes: FileBytes): RequestInit & { readonly duplex?: 'half' } {
  return bytes instanceof ReadableStream ? { body: bytes, duplex: 'half' } : { body: bytes };
}
