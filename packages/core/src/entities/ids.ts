// Branded ids: a node id passed where a turn id is expected does not compile.

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type ProjectId = Branded<'project'>;
export type BranchId = Branded<'branch'>;
export type TurnId = Branded<'turn'>;
export type NodeId = Branded<'node'>;
export type CallId = Branded<'call'>;
/** The lower-case hexadecimal SHA-256 of bytes in the blob store. */
export type BlobHash = Branded<'blob'>;

// The only places where a plain string becomes an id: at the edges (rows, routes, imports), never in between.
export const projectId = (value: string): ProjectId => value as ProjectId;
export const branchId = (value: string): BranchId => value as BranchId;
export const turnId = (value: string): TurnId => value as TurnId;
export const nodeId = (value: string): NodeId => value as NodeId;
export const callId = (value: string): CallId => value as CallId;
export const blobHash = (value: string): BlobHash => value as BlobHash;
