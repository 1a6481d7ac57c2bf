import type { ChatRule } from './context.ts';
import { finding, mapMessages, messagesOf } from './context.ts';

const isSystem = (role: string): boolean => role === 'system' || role === 'developer';

export const noSystemRole: ChatRule = {
  id: 'OAC-ROLE-1',
  title: 'A model that takes no system prompt gets it as a user message.',
  reference: 'https://github.com/janhq/jan/issues/4392',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.systemRole === 'user'
      ? messagesOf(body)
          .filter(({ role }) => isSystem(role))
          .map(({ index, role }) => {
            const text = `Unsupported value: 'messages[${index}].role' does not support '${role}' with this model.`;
            return finding(`messages.${index}.role`, text, { errorCode: 'unsupported_value' });
          })
      : [],
  repair: (body) => mapMessages(body, ({ role, message }) => (isSystem(role) ? { ...message, role: 'user' } : message)),
};

export const ROLE_RULES: readonly ChatRule[] = [noSystemRole];
