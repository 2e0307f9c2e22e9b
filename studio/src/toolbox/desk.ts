// What a desk is: a part of the work with tools and a panel of its own, one at a time. One file of desks/ each.
import type { AddedAs, App } from '../app';
import type { SceneActions } from '../panels/scene_actions';
import type { Toolbox } from './toolbox';

/** What desks share. */
export interface DeskHost {
    toolbox: Toolbox;
    actions: SceneActions;
    /** Lets a person choose files, which become bodies or obstacles of the scene. */
    openFiles(as: AddedAs): void;
}

export interface DeskParts {
    panel: HTMLElement;
    /** Above its tools on the rail. */
    rail?: HTMLElement;
}

export interface Desk {
    readonly id: string;
    readonly name: string;
    readonly about: string;
    /** Path of a line icon, 24 by 24. */
    readonly icon: string;
    /** Among the buttons. */
    readonly order: number;
    make(app: App, host: DeskHost): DeskParts;
}
