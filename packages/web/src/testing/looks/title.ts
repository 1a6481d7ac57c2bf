/** Every page but the first has a title of its own: it is what tabs, bookmarks and screen readers call it. */
export function title(): readonly string[] {
  const { title: text } = document;
  const isPlain = text.trim() === '' || text === 'Bough';
  return isPlain && window.location.pathname !== '/' ? [`${window.location.pathname} has the title “${text}”`] : [];
}
