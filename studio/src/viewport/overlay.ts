// Something a tool draws among the bodies: a spring, a ball, pins, a ring.
import type { Object3D, PerspectiveCamera } from 'three';
import type { Frame } from '../connection/frames';
import type { Look } from '../state/look';

export interface Overlay {
    readonly object: Object3D;
    /** After the bodies moved. */
    frame?(frame: Frame): void;
    /** After colours, theme or cut changed. */
    look?(look: Look): void;
    /** Before a picture of so many pixels in height: for what keeps its size on the screen. */
    beforePicture?(camera: PerspectiveCamera, height: number): void;
}
