/**
 * What each client is asked, in sessions of several runs. `/sim tools NAME` makes the simulator call that tool with the
 * words before it; what is called only reads.
 */
const QUESTION = 'What is a tree?';
const MORE = 'And what is a forest?';
/** A tool that nobody offers: otherwise the simulator helps itself to one that suits the client's first message. */
const NO_TOOLS = '/sim tools none';

const claude = (model) => ['--model', model, '--allowedTools', 'Read,Agent,Task', '-p'];
const CLAUDE = claude('claude-sonnet-5-5');
/** Tells this one about its surroundings within the first message. */
const OLDER_CLAUDE = claude('claude-opus-4-6');
const codex = (model) => ['exec', '--skip-git-repo-check', '-m', model];
const CODEX = codex('gpt-5.4');
/** Gives this one its tools and instructions as items of the history. */
const NEWER_CODEX = codex('gpt-5.6-sol');
const GEMINI = ['--skip-trust', '-m', 'gemini-2.5-pro'];
const RESUMED = [...GEMINI, '--resume', 'latest', '-p'];

export const CLIENTS = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    program: 'claude',
    seenAs: 'claude-code',
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    sessions: [
      [
        { what: 'question', words: [...CLAUDE, QUESTION] },
        { what: 'tools', tools: 2, words: [...CLAUDE, '--continue', 'notes.txt /sim tools Read steps 2'] },
        { what: 'continued', words: [...CLAUDE, '--continue', MORE] },
      ],
      [
        { what: 'older model', words: [...OLDER_CLAUDE, `${QUESTION} ${NO_TOOLS}`] },
        { what: 'older, tools', tools: 1, words: [...OLDER_CLAUDE, '--continue', 'notes.txt /sim tools Read'] },
        { what: 'older, continued', words: [...OLDER_CLAUDE, '--continue', `${MORE} ${NO_TOOLS}`] },
      ],
      [{ what: 'sub-agent', tools: 1, asides: 1, words: [...CLAUDE, `${QUESTION} /sim tools Agent Task`] }],
    ],
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    program: 'codex',
    seenAs: 'codex',
    env: {},
    sessions: [
      [
        { what: 'question', words: [...CODEX, QUESTION] },
        { what: 'tools', tools: 2, words: [...CODEX, 'resume', '--last', 'ls /sim tools exec_command steps 2'] },
        { what: 'continued', words: [...CODEX, 'resume', '--last', MORE] },
      ],
      [
        { what: 'newer model', words: [...NEWER_CODEX, QUESTION] },
        { what: 'newer, continued', words: [...NEWER_CODEX, 'resume', '--last', MORE] },
      ],
    ],
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    program: 'gemini',
    seenAs: 'gemini-cli',
    env: { GEMINI_TELEMETRY_ENABLED: 'false' },
    sessions: [
      [
        { what: 'question', words: [...GEMINI, '-p', `${QUESTION} ${NO_TOOLS}`] },
        { what: 'tools', tools: 2, words: [...RESUMED, '. /sim tools list_directory steps 2'] },
        // It says results twice when it resumes a conversation with tools, and forgets signatures.
        { what: 'continued', isDamaged: true, words: [...RESUMED, MORE] },
      ],
      [
        { what: 'question', words: [...GEMINI, '-p', `What is a leaf? ${NO_TOOLS}`] },
        // It declares no session, so that nothing says whose sub-agent this is: it gets a project of its own.
        {
          what: 'sub-agent',
          tools: 1,
          projects: 1,
          words: [...RESUMED, 'codebase_investigator /sim tools invoke_agent'],
        },
      ],
    ],
  },
];
