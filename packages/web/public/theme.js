// Before anything is drawn: whoever reads in the dark would see a white page flash up until the page's program is there,
// which then keeps to the same choice (src/parts/language.tsx). A file of its own, because the page's security policy
// allows no program in the document.
{
  let stored = null;
  try {
    stored = JSON.parse(localStorage.getItem('bough.preferences') ?? 'null');
  } catch {
    // A browser that stores nothing, or something that no page of Bough wrote: the system decides.
  }
  const theme = stored?.theme;
  const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
