const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Returns the keys of a shortcut on this device: `⌘K`, or `Ctrl K`. */
export function commandKey(key: string): string {
  return isMac ? `⌘${key}` : `Ctrl ${key}`;
}
