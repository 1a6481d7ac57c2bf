import { spawn } from 'node:child_process';

// What a browser needs to find its user, its display and its files. Bough's own environment holds keys and a token,
// which are none of its business.
const NEEDED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|DESKTOP_SESSION|BROWSER|KDE_FULL_SESSION|KDE_SESSION_VERSION|GNOME_DESKTOP_SESSION_ID|WSL_DISTRO_NAME|WSL_INTEROP)$/;
const NEEDED_ON_WINDOWS =
  /^(?:Path|PATHEXT|ComSpec|SystemRoot|SystemDrive|windir|TEMP|TMP|USERNAME|USERPROFILE|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles.*|HOMEDRIVE|HOMEPATH)$/i;

type Environment = Readonly<Record<string, string | undefined>>;

export function browserEnvironment(env: Environment, platform = process.platform): Environment {
  const needed = platform === 'win32' ? NEEDED_ON_WINDOWS : NEEDED;
  return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name)));
}

/** What opens an address in the browser that the user has chosen. */
export function browserCommand(url: string, platform = process.platform): readonly [program: string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      // The first text in quotes would be the title of a window.
      return ['cmd', '/c', 'start', '', url];
    default:
      return ['xdg-open', url];
  }
}

export function openInBrowser(url: string, env: Environment, onProblem: (message: string) => void): void {
  const [program, ...words] = browserCommand(url);
  const options = { stdio: 'ignore', detached: true, windowsHide: true, env: browserEnvironment(env) } as const;
  const child = spawn(program, words, options);
  child.once('error', (error) => onProblem(error.message));
  child.unref();
}
