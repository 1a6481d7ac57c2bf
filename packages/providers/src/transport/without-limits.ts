/** What Node's fetch hands its requests to, as far as it is used here. */
interface Dispatcher {
  readonly dispatch: (request: object, handler: unknown) => boolean;
}

const NODES_OWN = Symbol.for('undici.globalDispatcher.1');

const nodesOwn = (): Dispatcher | undefined => (globalThis as { readonly [NODES_OWN]?: Dispatcher })[NODES_OWN];

/** The same connections, through a proxy if there is one. */
const patient: Dispatcher = {
  dispatch: (request, handler) =>
    nodesOwn()?.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler) ?? false,
};

/**
 * An option of fetch. Node's own gives up on a server that is silent for 300 s, which is sooner than the clients of the
 * vendors do: a model that thinks for ten minutes would never answer through here. Any other fetch takes no notice.
 */
export function withoutLimits(): RequestInit {
  // Node makes what its fetch uses when one of these is first asked for.
  void globalThis.Headers;
  return nodesOwn() === undefined ? {} : ({ dispatcher: patient } as unknown as RequestInit);
}
