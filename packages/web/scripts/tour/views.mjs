// The windows in which a step is viewed.
const SIZES = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  laptop: { width: 1280, height: 720 },
  desktop: { width: 1440, height: 900 },
  wide: { width: 1800, height: 1000 },
};

const view = (size, theme = 'light', language = 'en') => ({
  name: [size, theme === 'light' ? '' : theme, language === 'en' ? '' : language].filter(Boolean).join('-'),
  size: SIZES[size],
  isTouch: size === 'phone' || size === 'tablet',
  theme,
  language,
});

export const LAPTOP = [view('laptop')];
export const PHONE = [view('phone')];
export const BOTH = [...LAPTOP, ...PHONE];
export const SIZED = [...BOTH, view('tablet'), view('desktop')];
/** What most people see most of the time is viewed in every way. */
export const EVERY = [
  ...SIZED,
  view('laptop', 'dark'),
  view('phone', 'dark'),
  view('laptop', 'light', 'zh'),
  view('phone', 'light', 'zh'),
];
/** There is a margin beside the conversation, although both side panels are open. */
export const WIDE = [view('wide'), view('wide', 'dark')];
export const COLOURS = [...BOTH, view('laptop', 'dark'), view('laptop', 'light', 'zh')];
