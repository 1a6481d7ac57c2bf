// Says in Bough's own words that the server cannot be reached, where the browser would show its error page. That is all
// it does: it keeps no copy of anything, so that no update can be missed and no answer of the API is ever an old one.
const TEXTS = {
  en: {
    title: 'Bough’s server cannot be reached',
    body: 'Nothing is lost: your conversations are on the server. Start it again, or check the connection; this page then opens by itself.',
    again: 'Try again',
  },
  zh: {
    title: '无法连接到 Bough 服务器',
    body: '内容没有丢失：您的对话都在服务器上。请重新启动服务器或检查网络连接，之后本页会自动打开。',
    again: '重试',
  },
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Bough</title>
<style>
:root { color-scheme: light; --paper: #faf8f4; --ink: #23211d; --soft: #5d574c; --line: #c9c2b3; --surface: #fff; }
:root[data-theme='dark'] { color-scheme: dark; --paper: #191816; --ink: #ece7dd; --soft: #b8b0a1; --line: #504b42; --surface: #211f1c; }
body { margin: 0; min-height: 100dvh; display: grid; place-content: center; background: var(--paper); color: var(--ink); font: 400 1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; padding: 1.5rem; text-align: center; }
h1 { font: 500 1.6rem/1.25 Georgia, serif; margin: 0 0 1rem; }
p { color: var(--soft); margin: 0 0 1.5rem; }
a { display: inline-block; padding: 0.5rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); color: var(--ink); text-decoration: none; }
</style>
</head>
<body>
<main><h1></h1><p></p><a href=""></a></main>
<script>
const texts = ${JSON.stringify(TEXTS)};
let stored = {};
try { stored = JSON.parse(localStorage.getItem('bough.preferences') ?? '{}') ?? {}; } catch { stored = {}; }
const language = stored.language ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');
const text = texts[language] ?? texts.en;
document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
const isDark = stored.theme === 'dark' || (stored.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
document.title = text.title + ' · Bough';
document.querySelector('h1').textContent = text.title;
document.querySelector('p').textContent = text.body;
document.querySelector('a').textContent = text.again;
// Any answer will do: a server that asks for its token is there, too.
setInterval(() => fetch('/api/healthz', { cache: 'no-store' }).then(() => location.reload(), () => undefined), 2000);
</script>
</body>
</html>`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
};

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  // Everything else goes its way as if this were not here. A download is a navigation, too, but not to this page.
  if (event.request.mode !== 'navigate' || event.request.destination !== 'document') return;
  if (new URL(event.request.url).pathname.startsWith('/api/')) return;
  event.respondWith(fetch(event.request).catch(() => new Response(PAGE, { status: 503, headers: HEADERS })));
});
