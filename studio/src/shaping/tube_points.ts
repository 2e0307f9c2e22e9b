// The points of a chosen tube: dots that are dragged in the plane of the screen, smaller ones between them that become points,
// Shift at an end goes on from there. Each is one step of undo.
import { Group, type Matrix4, Plane, Vector3 } from 'three';
import type { App } from '../app';
import { brief } from '../dom';
import { PoseMarkers } from '../overlays/pose_markers';
import { reach } from '../overlays/size_handles';
import { toast } from '../panels/toasts';
import type { JsonObject } from '../scene_editing/schema';
import { type NodePath, keyOf, nodeName } from '../scene_editing/volume_tree';
import type { Gesture, Place } from '../toolbox/tool';
import type { Overlay } from '../viewport/overlay';
import type { ShapeModel } from './shape_model';

const middleReach = 10;  // pixels: of a hand, from the dots between points

interface Tube {
    path: NodePath;
    node: JsonObject;
    /** From its own coordinates to the scene. */
    matrix: Matrix4;
}

const tidy = (p: Vector3) => p.toArray().map((c) => Number(c.toFixed(4)));
const pointsOf = (node: JsonObject) => (node.points as number[][]).map((p) => new Vector3().fromArray(p));

export class TubePoints implements Overlay {
    readonly object = new Group();
    private readonly dots = new PoseMarkers();
    private readonly middles = new PoseMarkers(4, 0.5);
    private tube: Tube | null = null;
    private chosen: { key: string; index: number } | null = null;

    constructor(private readonly app: App, private readonly model: ShapeModel, private readonly say: (words: string, at: Vector3) => void, private readonly ended: () => void) {
        this.object.add(this.dots.object, this.middles.object);
    }

    beforePicture(...picture: Parameters<PoseMarkers['beforePicture']>): void {
        this.dots.beforePicture(...picture);
        this.middles.beforePicture(...picture);
    }

    show(tube: Tube | null): void {
        this.tube = tube;
        if (!tube || this.chosen?.key !== keyOf(tube.path)) this.chosen = null;
        this.object.visible = tube !== null;
        this.dots.show(this.places, this.chosen?.index ?? null);
        this.middles.show(this.between, null);
    }

    private get places(): Vector3[] {
        const { tube } = this;
        return tube ? pointsOf(tube.node).map((p) => p.applyMatrix4(tube.matrix)) : [];
    }

    private get between(): Vector3[] {
        const { places } = this;
        return places.slice(1).map((p, k) => p.clone().add(places[k]).multiplyScalar(0.5));
    }

    /** What a hand there would take: a point, or the place of a new one after a point. */
    at({ x, y }: Place): { index: number; isNew: boolean } | null {
        const nearest = (places: Vector3[], far: number) => {
            const distances = places.map((p) => {
                const page = this.app.viewport.picking.toPage(p);
                return Math.hypot(page.x - x, page.y - y);
            });
            const least = distances.indexOf(Math.min(...distances));
            return least >= 0 && distances[least] < far ? least : -1;
        };
        const point = nearest(this.places, reach);
        if (point >= 0) return { index: point, isNew: false };
        const middle = nearest(this.between, middleReach);
        return middle >= 0 ? { index: middle, isNew: true } : null;
    }

    drag({ index, isNew }: { index: number; isNew: boolean }, start: Place): Gesture {
        const { path, node, matrix } = this.tube!, points = pointsOf(node), { picking } = this.app.viewport, inverse = matrix.clone().invert();
        let grown = isNew;
        if (isNew) points.splice(++index, 0, points[index - 1].clone().add(points[index]).multiplyScalar(0.5));
        else if (start.shift && (index === 0 || index === points.length - 1)) {
            const at = index === 0 ? 0 : ++index;
            points.splice(at, 0, points[index === 0 ? 0 : index - 1].clone());
            grown = true;
        }
        const from = points[index].clone().applyMatrix4(matrix), { ray } = picking.rayAt(start.x, start.y);
        const plane = new Plane().setFromNormalAndCoplanarPoint(ray.direction.clone().normalize(), from), first = ray.intersectPlane(plane, new Vector3()) ?? from;
        const pointsAt = (to: Place) => {
            const there = picking.rayAt(to.x, to.y).ray.intersectPlane(plane, new Vector3()) ?? first;
            return points.map((p, k) => (k === index ? there.sub(first).add(from).applyMatrix4(inverse) : p)).map(tidy);
        };
        let moved = false;
        this.chosen = { key: keyOf(path), index };
        return {
            move: (to) => {
                moved ||= Math.hypot(to.x - start.x, to.y - start.y) > 3;
                if (!moved) return;
                const now = pointsAt(to);
                this.model.try(path, { ...node, points: now });
                this.say(`${now[index].map((c) => brief(c)).join(', ')} m`, new Vector3().fromArray(now[index]).applyMatrix4(matrix));
            },
            end: (to) => {
                this.ended();
                if (moved) this.store(path, pointsAt(to), grown ? `Add a point to ${nodeName(node).toLowerCase()}` : `Move a point of ${nodeName(node).toLowerCase()}`);
                else {
                    if (grown) this.chosen = null;
                    this.model.tell();
                }
            },
            cancel: () => {
                if (grown) this.chosen = null;
                this.ended();
            },
        };
    }

    /** Takes the chosen point away; false: none is chosen. */
    remove(): boolean {
        const { chosen, tube } = this;
        if (!chosen || !tube) return false;
        const points = tube.node.points as number[][];
        if (points.length <= 2) toast('A tube needs two points: delete the part in the tree instead.', 'warning');
        else {
            this.chosen = null;
            this.store(tube.path, points.filter((_, k) => k !== chosen.index), `Delete a point of ${nodeName(tube.node).toLowerCase()}`);
        }
        return true;
    }

    private store(path: NodePath, points: number[][], label: string): void {
        this.app.edits.endGesture();
        this.model.set(path, { points }, label);
        this.app.edits.endGesture();
    }
}
