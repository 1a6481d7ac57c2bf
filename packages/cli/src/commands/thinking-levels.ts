export const THINKING_LEVELS = ['off', 'low', 'medium', 'high'] as const;
