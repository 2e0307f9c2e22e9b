// The order of the pages. A chapter lists Markdown files of the repository, or pages that are made: 'gallery', 'commands', 'headers'.
export const chapters = [
    { name: 'Start', pages: ['docs/index.md', 'docs/getting_started.md', 'gallery'] },
    {
        name: 'Tutorials',
        pages: [
            'docs/tutorials/scene_desk.md', 'docs/tutorials/shape_desk.md', 'docs/tutorials/material_desk.md', 'docs/tutorials/muscles_desk.md',
            'docs/tutorials/poses_desk.md', 'docs/tutorials/example_poses.md', 'docs/tutorials/volumes.md', 'docs/tutorials/finite_elements.md',
        ],
    },
    { name: 'Guides', pages: ['docs/studio.md', 'docs/materials.md', 'docs/pictures.md', 'docs/sweeps.md', 'docs/faq.md'] },
    { name: 'Reference', pages: ['docs/scene_format.md', 'commands', 'docs/glossary.md', 'docs/notation.md'] },
    {
        name: 'How it works',
        pages: [
            'docs/overview.md', 'docs/solver.md', 'docs/methods/examples.md', 'docs/methods/procdef.md', 'docs/methods/cvg_lsm.md',
            'docs/methods/fem.md', 'docs/methods/contact.md', 'docs/methods/meshing.md',
        ],
    },
    { name: 'Evidence', pages: ['docs/performance.md', 'docs/figures.md', 'docs/limits.md', 'docs/cite.md'] },
    { name: 'Develop', pages: ['CONTRIBUTING.md', 'docs/extending.md', 'CHANGELOG.md'] },
    { name: 'C++ interface', pages: ['headers'] },
];
