import type { z } from '@hono/zod-openapi';
import type * as s from './schemas/index.ts';

// The shapes that cross the API, for clients: types only, so that a page does not load the schemas.

export type ProjectView = z.infer<typeof s.ProjectView>;
export type ProjectListView = z.infer<typeof s.ProjectList>;
export type BranchView = z.infer<typeof s.BranchView>;
export type ModelNoticeView = z.infer<typeof s.ModelNoticeView>;
export type NodeView = z.infer<typeof s.NodeView>;
export type CallView = z.infer<typeof s.CallView>;
export type MessageGroupView = z.infer<typeof s.MessageGroupView>;
export type HistoryView = z.infer<typeof s.HistoryView>;
export type ContextReport = z.infer<typeof s.ContextReport>;
export type ContextView = z.infer<typeof s.ContextView>;
export type GraphView = z.infer<typeof s.GraphView>;
export type RawView = z.infer<typeof s.RawView>;
export type ProviderView = z.infer<typeof s.ProviderView>;
export type ModelView = z.infer<typeof s.ModelView>;
export type ToolView = z.infer<typeof s.ToolView>;
export type DiagnosticsView = z.infer<typeof s.DiagnosticsView>;
export type SearchView = z.infer<typeof s.SearchView>;
export type DeletionView = z.infer<typeof s.DeletionView>;
export type TrashEntryView = z.infer<typeof s.TrashEntryView>;
export type HealthView = z.infer<typeof s.Health>;
export type AppendedView = z.infer<typeof s.AppendedView>;
export type ProblemView = z.infer<typeof s.Problem>;

export type ListProjectsInput = {
  readonly limit?: number;
  readonly offset?: number;
  /** A part of the name, ignoring case. */
  readonly search?: string;
  readonly archived?: boolean;
};
export type CreateProjectInput = z.input<typeof s.CreateProject>;
export type UpdateProjectInput = z.input<typeof s.UpdateProject>;
export type CreateBranchInput = z.input<typeof s.CreateBranch>;
export type UpdateBranchInput = z.input<typeof s.UpdateBranch>;
export type ChatInput = z.input<typeof s.Chat>;
export type EditInput = z.input<typeof s.Edit>;
export type RegenerateInput = z.input<typeof s.Regenerate>;
export type ContinueInput = z.input<typeof s.Continue>;
export type InterruptInput = z.input<typeof s.Interrupt>;
export type ApproveInput = z.input<typeof s.Approve>;
export type ContextInput = z.input<typeof s.ContextRequest>;
export type ContextReportInput = z.input<typeof s.ContextReportRequest>;
export type AppendInput = z.input<typeof s.AppendMessages>;
export type MessageContentInput = z.input<typeof s.MessageContent>;
export type StartedTurnsView = z.infer<typeof s.StartedTurns>;
export type ProviderListView = z.infer<typeof s.ProviderList>;
