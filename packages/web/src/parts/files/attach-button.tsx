import { useRef } from 'react';
import { useT } from '../../i18n/index.ts';
import { CameraIcon, ClipIcon } from '../icons.tsx';
import { IconButton } from '../tooltip.tsx';

/** Chooses files; on a phone, takes a picture as well. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const t = useT();
  const picker = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement): void => {
    onFiles([...(input.files ?? [])]);
    // Choosing the same file once more is a choice too.
    input.value = '';
  };
  return (
    <>
      <IconButton label={t('files.attach')} onClick={() => picker.current?.click()}>
        <ClipIcon />
      </IconButton>
      <input ref={picker} type="file" multiple hidden data-files="" onChange={(event) => take(event.target)} />
      <IconButton className="camera" label={t('files.camera')} onClick={() => camera.current?.click()}>
        <CameraIcon />
      </IconButton>
      <input
        ref={camera}
        type="file"
        accept="image/*"
        capture="environment"
        hidden
        onChange={(event) => take(event.target)}
      />
    </>
  );
}
