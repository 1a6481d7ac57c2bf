/**
 * Loaded into the server by the bench, without changing anything in it: collects garbage on request, so that the figure
 * is what the server holds and not what has yet to be collected.
 */
process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.({ ok: { residentMegabytes: process.memoryUsage.rss() / 2 ** 20 } });
});
// Listening for requests must not keep the server alive.
process.channel?.unref();
