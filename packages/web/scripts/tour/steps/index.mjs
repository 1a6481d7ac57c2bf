import { ask } from './ask.mjs';
import { canvas } from './canvas.mjs';
import { costs } from './costs.mjs';
import { dialogs } from './dialogs.mjs';
import { files } from './files.mjs';
import { gateway } from './gateway.mjs';
import { kept } from './kept.mjs';
import { library } from './library.mjs';
import { menus } from './menus.mjs';
import { merge } from './merge.mjs';
import { pages } from './pages.mjs';
import { panels } from './panels.mjs';
import { questions } from './questions.mjs';
import { replies } from './replies.mjs';
import { sets } from './sets.mjs';
import { settings } from './settings.mjs';
import { transfer } from './transfer.mjs';
import { sidebar } from './sidebar.mjs';
import { trouble } from './trouble.mjs';
import { versions } from './versions.mjs';

const GROUPS = {
  pages,
  gateway,
  panels,
  sidebar,
  menus,
  dialogs,
  kept,
  questions,
  canvas,
  merge,
  costs,
  library,
  replies,
  files,
  versions,
  ask,
  sets,
  transfer,
  settings,
  trouble,
};

/** In the order of the contact sheet. A single name or group can be requested. */
export const STEPS = Object.entries(GROUPS).flatMap(([group, steps]) => steps.map((step) => ({ ...step, group })));
