// Whether the server in this container should get requests: 0 or 1. The token of its environment opens the door.
const { PORT = '4870', BOUGH_TOKEN } = process.env;
const headers = BOUGH_TOKEN ? { authorization: `Bearer ${BOUGH_TOKEN}` } : {};
try {
  const answer = await fetch(`http://127.0.0.1:${PORT}/api/healthz/ready`, {
    headers,
    signal: AbortSignal.timeout(4_000),
  });
  if (!answer.ok) console.error(answer.status, await answer.text());
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
