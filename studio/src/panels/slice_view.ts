// A flat slice through a volume model, moved by a slider: its colours beside its stiffness, hard blue, soft orange.
import { Vector3 } from 'three';
import { brief, h } from '../dom';
import { hardColor, softColor } from '../overlays/model_view';
import { Newest } from '../painting/newest';
import type { JsonObject } from '../scene_editing/schema';
import { boxOf } from '../scene_editing/volume_tree';
import type { ModelCut, ShapeModel } from '../shaping/shape_model';
import { segmented } from './segmented';

type Axis = 'x' | 'y' | 'z';

const across = 132;  // pixels of each picture
const rows = 160;

export class SliceView {
    readonly element: HTMLDetailsElement;
    private readonly pictures = ['Colours on the slice', 'Stiffness on the slice'].map((words) => h('canvas', { width: 2 * across, height: 2 * across, role: 'img', 'aria-label': words, title: words }));
    private readonly slider = h('input', { type: 'range', min: 0, max: 1, step: 0.01, value: 0.5, 'aria-label': 'Place of the slice', oninput: () => this.look() });
    private readonly place = h('output');
    private readonly axes: ReturnType<typeof segmented<Axis>>;
    private axis: Axis = 'z';
    private readonly newest = new Newest(() => this.ask());
    private seen: unknown[] = [];

    constructor(private readonly model: ShapeModel) {
        this.axes = segmented<Axis>('Across', [['x', 'x'], ['y', 'y'], ['z', 'z']], () => this.axis, (axis) => {
            this.axis = axis;
            this.axes.update();
            this.look();
        });
        this.element = h('details.slice-view', { ontoggle: () => this.look() }, h('summary', {}, 'Slice'), this.axes.element, h('div.row', {}, this.slider, this.place), h('div.slices', {}, ...this.pictures));
        model.on(() => this.look());
    }

    /** Asks if what would be seen is another. */
    private look(): void {
        const now = [this.element.open && this.model.active, this.model.model, this.axis, this.slider.value];
        if (now.every((value, k) => value === this.seen[k])) return;
        this.seen = now;
        if (now[0]) this.newest.again();
    }

    private async ask(): Promise<void> {
        const { model } = this, tree = model.model;
        if (!model.active || !tree) return;
        const { low, high } = boxOf(tree.root as JsonObject), k = 'xyz'.indexOf(this.axis), at = low.getComponent(k) + Number(this.slider.value) * (high.getComponent(k) - low.getComponent(k));
        const normal = new Vector3().setComponent(k, 1), middle = low.clone().add(high).multiplyScalar(0.5).setComponent(k, at), reach = 0.54 * Math.max(...high.clone().sub(low).setComponent(k, 0).toArray());
        this.slider.style.setProperty('--share', `${100 * Number(this.slider.value)}%`);
        this.place.textContent = `${this.axis} = ${brief(at)} m`;
        const cut = await model.app.ask('model_cut', { body: model.identity, model: tree, point: middle.toArray(), normal: normal.toArray(), rows }, 'slice').catch(() => null);
        if (cut) this.pictures.forEach((picture, n) => paint(picture, cut, k, middle, reach, n === 1));
    }
}

/** Strips as they lie in the plane, y up where it can be. */
function paint(canvas: HTMLCanvasElement, cut: ModelCut, axis: number, middle: Vector3, reach: number, byStiffness: boolean): void {
    const context = canvas.getContext('2d')!, { width, height } = canvas, [u, v] = axis === 0 ? [2, 1] : axis === 1 ? [0, 2] : [0, 1];
    const scale = width / (2 * reach), flip = axis === 1 ? 1 : -1;
    context.clearRect(0, 0, width, height);
    const corner = new Vector3();
    cut.stiffness.forEach((stiffness, strip) => {
        const rgb = byStiffness ? softColor.map((soft, c) => soft + (hardColor[c] - soft) * stiffness) : [0, 1, 2].map((c) => cut.colors[3 * strip + c]);
        context.fillStyle = context.strokeStyle = `rgb(${rgb.map((c) => Math.round(255 * c)).join()})`;
        context.beginPath();
        for (let c = 0; c < 4; ++c) {
            corner.fromArray(cut.positions, 3 * (4 * strip + c)).sub(middle).multiplyScalar(scale);
            context.lineTo(width / 2 + corner.getComponent(u), height / 2 + flip * corner.getComponent(v));
        }
        context.closePath();
        context.fill();
        context.stroke();  // closes the hair between strips
    });
}
