import type { ComponentType } from 'react';
import type { MessageKey } from '../../i18n/later/index.ts';
import { BrowserSettings } from './browser.tsx';
import { Budgets } from './budgets/index.tsx';
import { Defaults } from './defaults.tsx';
import { PresetSettings } from './library/presets.tsx';
import { PromptSettings } from './library/prompts.tsx';
import { TitleSettings } from './library/titles.tsx';
import { Providers } from './providers.tsx';
import { ToolServers } from './tool-servers.tsx';

/** One section of the settings. */
export interface Section {
  /** Its address: `/settings#providers`. */
  readonly id: string;
  readonly title: MessageKey;
  readonly Content: ComponentType;
  /** Shown once the providers are known. */
  readonly needsProviders?: boolean;
}

/** In the order in which they stand on the page. */
export const SECTIONS: readonly Section[] = [
  { id: 'browser', title: 'settings.appearance', Content: BrowserSettings },
  { id: 'new-projects', title: 'settings.defaults', Content: Defaults, needsProviders: true },
  { id: 'presets', title: 'presets.title', Content: PresetSettings, needsProviders: true },
  { id: 'prompts', title: 'prompts.title', Content: PromptSettings },
  { id: 'titles', title: 'titles.title', Content: TitleSettings, needsProviders: true },
  { id: 'providers', title: 'settings.providers', Content: Providers, needsProviders: true },
  { id: 'budgets', title: 'budgets.title', Content: Budgets },
  { id: 'tools', title: 'settings.tools', Content: ToolServers },
];
