/**
 * Loaded beside the server by the bench, which changes nothing in it: collects garbage when it is asked to, so that
 * what is measured is what the server holds and not what nobody has cleared away yet.
 */
process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.({ ok: { residentMegabytes: process.memoryUsage.rss() / 2 ** 20 } });
});
// Asking must not keep the server alive.
process.channel?.unref();
