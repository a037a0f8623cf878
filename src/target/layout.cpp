// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/target/layout.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace prismllm::target {
namespace {

enum class MeshAxis : std::uint8_t { tensor, context, data, pipeline };

/// The mesh axes, fastest first. Expert parallelism subdivides `data` and has no axis here.
std::array<MeshAxis, 4> axis_order(RankOrder order) {
    if (order == RankOrder::tp_cp_ep_pp_dp) {
        return {MeshAxis::tensor, MeshAxis::context, MeshAxis::pipeline, MeshAxis::data};
    }
    return {MeshAxis::tensor, MeshAxis::context, MeshAxis::data, MeshAxis::pipeline};
}

std::int64_t size_along(const Layout& layout, MeshAxis axis) {
    switch (axis) {
        case MeshAxis::tensor:
            return layout.tensor;
        case MeshAxis::context:
            return layout.context;
        case MeshAxis::data:
            return layout.data;
        case MeshAxis::pipeline:
            return layout.pipeline;
    }
    return 1;
}

std::int64_t& along(Coordinates& c, MeshAxis axis) {
    switch (axis) {
        case MeshAxis::tensor:
            return c.tensor;
        case MeshAxis::context:
            return c.context;
        case MeshAxis::data:
            return c.data;
        case MeshAxis::pipeline:
            break;
    }
    return c.pipeline;
}

/// Members vary along `spanned`, groups along the other axes, both in rank order.
graph::Family family_over(const Layout& layout, const char* name, graph::FamilyKind kind,
                          std::initializer_list<MeshAxis> spanned) {
    graph::Family family;
    family.name = name;
    family.kind = kind;
    std::int64_t stride = 1;
    for (const MeshAxis axis : axis_order(layout.order)) {
        const std::int64_t size = size_along(layout, axis);
        const bool inside = std::find(spanned.begin(), spanned.end(), axis) != spanned.end();
        (inside ? family.members : family.groups).push_back({size, stride});
        stride *= size;
    }
    return family;
}

/// First and last pipeline stage. With one stage nothing is shared: a family without groups.
graph::Family embedding_family(const Layout& layout) {
    graph::Family family =
        family_over(layout, "embedding", graph::FamilyKind::embedding, {MeshAxis::pipeline});
    if (layout.pipeline == 1) {
        family.members.clear();
        family.groups.clear();
        family.group_offsets = {0};
        return family;
    }
    graph::Axis& stages = family.members.front();
    stages = {2, stages.stride * (layout.pipeline - 1)};
    return family;
}

}  // namespace

Coordinates Layout::coordinates(std::int64_t rank) const {
    PRISMLLM_ASSERT(rank >= 0 && rank < world_size, "the rank belongs to the target job");
    Coordinates c;
    for (const MeshAxis axis : axis_order(order)) {
        const std::int64_t size = size_along(*this, axis);
        along(c, axis) = rank % size;
        rank /= size;
    }
    return c;
}

std::int64_t Layout::rank_of(const Coordinates& c) const {
    Coordinates position = c;
    std::int64_t rank = 0;
    std::int64_t stride = 1;
    for (const MeshAxis axis : axis_order(order)) {
        const std::int64_t size = size_along(*this, axis);
        PRISMLLM_ASSERT(along(position, axis) >= 0 && along(position, axis) < size,
                        "the coordinate lies on its axis");
        rank += along(position, axis) * stride;
        stride *= size;
    }
    return rank;
}

std::vector<graph::Family> families_of(const Layout& layout) {
    using graph::FamilyKind;
    using enum MeshAxis;
    return {
        family_over(layout, "tp", FamilyKind::tensor, {tensor}),
        family_over(layout, "cp", FamilyKind::context, {context}),
        family_over(layout, "dp", FamilyKind::data, {data}),
        family_over(layout, "dp_cp", FamilyKind::data_context, {context, data}),
        family_over(layout, "pp", FamilyKind::pipeline, {pipeline}),
        embedding_family(layout),
        family_over(layout, "model", FamilyKind::model, {tensor, pipeline}),
        family_over(layout, "world", FamilyKind::world, {tensor, context, data, pipeline}),
    };
}

std::int64_t pad_vocabulary(std::int64_t vocab, std::int64_t multiple, std::int64_t tensor) {
    const std::int64_t unit = multiple * tensor;
    return (vocab + unit - 1) / unit * unit;
}

Model with_defaults(Model model) {
    if (model.ffn_hidden_size == 0) {
        model.ffn_hidden_size = 4 * model.hidden_size;
    }
    if (model.kv_heads == 0) {
        model.kv_heads = model.attention_heads;
    }
    if (model.head_dim == 0 && model.attention_heads > 0) {
        model.head_dim = model.hidden_size / model.attention_heads;
    }
    return model;
}

}  // namespace prismllm::target
