import { dialogs } from './dialogs.mjs';
import { menus } from './menus.mjs';
import { pages } from './pages.mjs';
import { panels } from './panels.mjs';
import { replies } from './replies.mjs';
import { trouble } from './trouble.mjs';

const GROUPS = { pages, panels, menus, dialogs, replies, trouble };

/** In the order of the contact sheet. A single name or group can be requested. */
export const STEPS = Object.entries(GROUPS).flatMap(([group, steps]) => steps.map((step) => ({ ...step, group })));
