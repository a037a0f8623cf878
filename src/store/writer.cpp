// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

#include <algorithm>

#include <hdf5_hl.h>

#include "prismllm/base/error.hpp"

namespace prismllm::store {
namespace {

// Below this a dataset is stored plainly: a chunk index would be larger than what it saves.
constexpr std::size_t smallest_compressed_bytes = 2048;
constexpr hsize_t chunk_bytes = hsize_t{1} << 20;
constexpr std::size_t memory_increment_bytes = std::size_t{4} << 20;

[[noreturn]] void throw_failure(const std::string& what) {
    throw SystemError{ErrorCode::system,
                      fmt::format("cannot make '{}' of an HDF5 file (HDF5 says: {}). Check the "
                                  "free memory of this machine",
                                  what, hdf5_reason())};
}

Handle checked(hid_t id, const std::string& what) {
    if (id < 0) {
        throw_failure(what);
    }
    return Handle{id};
}

void check(herr_t status, const std::string& what) {
    if (status < 0) {
        throw_failure(what);
    }
}

// Without times of creation, equal content gives equal bytes.
Handle creation_properties(hid_t kind) {
    Handle properties = checked(H5Pcreate(kind), "property list");
    check(H5Pset_obj_track_times(properties.id(), 0), "property list");
    return properties;
}

void filter(const Handle& properties, const std::vector<hsize_t>& chunk, unsigned level) {
    check(H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()), "chunk");
    check(H5Pset_shuffle(properties.id()), "shuffle");
    check(H5Pset_deflate(properties.id(), level), "deflate");
}

template <class T>
void write_attribute(hid_t object, const char* name, hid_t file_type, hid_t memory_type,
                     const T* value, hsize_t count) {
    const Handle space =
        checked(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), name);
    const Handle attribute =
        checked(H5Acreate2(object, name, file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT), name);
    check(H5Awrite(attribute.id(), memory_type, value), name);
}

void write_text_attribute(hid_t object, const char* name, std::string_view value) {
    const Handle type = checked(H5Tcopy(H5T_C_S1), name);
    // At least two bytes: one alone is taken for a character, not for text, by netCDF tools.
    std::string text{value};
    text.resize(std::max<std::size_t>(text.size(), 2), '\0');
    check(H5Tset_size(type.id(), text.size()), name);
    check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), name);
    check(H5Tset_cset(type.id(), H5T_CSET_UTF8), name);
    write_attribute(object, name, type.id(), type.id(), text.data(), 1);
}

}  // namespace

void GroupWriter::attribute(const char* name, std::int64_t value) {
    write_attribute(group_.id(), name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value, 1);
}

void GroupWriter::attribute(const char* name, double value) {
    write_attribute(group_.id(), name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value, 1);
}

void GroupWriter::attribute(const char* name, std::string_view value) {
    write_text_attribute(group_.id(), name, value);
}

void GroupWriter::dimension(const std::string& name, std::size_t size) {
    const hsize_t extent = size;
    const Handle space = checked(H5Screate_simple(1, &extent, nullptr), name);
    const Handle properties = creation_properties(H5P_DATASET_CREATE);
    Handle scale = checked(H5Dcreate2(group_.id(), name.c_str(), H5T_IEEE_F32BE, space.id(),
                                      H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                           name);
    // netCDF-4's sign for "an axis without coordinate values"; the number is the axis' length.
    const std::string label =
        fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", size);
    check(H5DSset_scale(scale.id(), label.c_str()), name);
    dimensions_[name] = Dimension{std::move(scale), extent};
}

std::vector<hsize_t> GroupWriter::extents(const std::vector<std::string>& dimensions) const {
    std::vector<hsize_t> sizes;
    for (const auto& name : dimensions) {
        sizes.push_back(dimensions_.at(name).size);
    }
    return sizes;
}

void GroupWriter::describe(const Handle& dataset, const Column& column,
                           const std::vector<std::string>& dimensions) {
    write_text_attribute(dataset.id(), "units", column.units);
    write_text_attribute(dataset.id(), "long_name", column.long_name);
    if (!column.flag_meanings.empty()) {
        const auto blanks =
            std::count(column.flag_meanings.begin(), column.flag_meanings.end(), ' ');
        std::vector<std::uint8_t> values(static_cast<std::size_t>(blanks) + 1);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<std::uint8_t>(i);
        }
        write_attribute(dataset.id(), "flag_values", H5T_STD_U8LE, H5T_NATIVE_UINT8, values.data(),
                        values.size());
        write_text_attribute(dataset.id(), "flag_meanings", column.flag_meanings);
    }
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
        check(H5DSattach_scale(dataset.id(), dimensions_.at(dimensions[axis]).scale.id(),
                               static_cast<unsigned>(axis)),
              column.name);
    }
}

void GroupWriter::write(const Column& column, const std::vector<std::string>& dimensions,
                        const ElementType& type, const void* values, std::size_t count) {
    auto sizes = extents(dimensions);
    std::size_t expected = 1;
    for (const hsize_t size : sizes) {
        expected *= size;
    }
    PRISMLLM_ASSERT(expected == count, "a column has one value for each cell of its dimensions");
    const Handle space = checked(
        H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), column.name);
    const Handle properties = creation_properties(H5P_DATASET_CREATE);
    if (compression_.deflate_level > 0 && count * type.size >= smallest_compressed_bytes) {
        hsize_t row = type.size;
        for (std::size_t axis = 1; axis < sizes.size(); ++axis) {
            row *= sizes[axis];
        }
        auto chunk = sizes;
        chunk[0] = std::clamp<hsize_t>(chunk_bytes / row, 1, sizes[0]);
        filter(properties, chunk, compression_.deflate_level);
    }
    const Handle dataset =
        checked(H5Dcreate2(group_.id(), column.name.c_str(), type.file, space.id(), H5P_DEFAULT,
                           properties.id(), H5P_DEFAULT),
                column.name);
    describe(dataset, column, dimensions);
    if (count > 0) {
        check(H5Dwrite(dataset.id(), type.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
              column.name);
    }
}

void GroupWriter::reserve(const Column& column, const std::vector<std::string>& dimensions,
                          const ElementType& type, const std::vector<hsize_t>& chunk) {
    const auto sizes = extents(dimensions);
    const Handle space = checked(
        H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), column.name);
    const Handle properties = creation_properties(H5P_DATASET_CREATE);
    const bool empty = std::find(sizes.begin(), sizes.end(), hsize_t{0}) != sizes.end();
    if (!empty) {
        filter(properties, chunk, std::max(1U, compression_.deflate_level));
    }
    const Handle dataset =
        checked(H5Dcreate2(group_.id(), column.name.c_str(), type.file, space.id(), H5P_DEFAULT,
                           properties.id(), H5P_DEFAULT),
                column.name);
    describe(dataset, column, dimensions);
}

void GroupWriter::strings(const std::string& name, std::span<const std::string> texts) {
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> offsets{0};
    for (const auto& text : texts) {
        bytes.insert(bytes.end(), text.begin(), text.end());
        offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    dimension(name + "_byte", bytes.size());
    dimension(name + "_offset", offsets.size());
    column<std::uint8_t>({name + "_bytes", "1", name + ", UTF-8 text of all rows"},
                         {name + "_byte"}, bytes);
    column<std::int64_t>({name + "_offsets", "1", "first byte of each row's " + name},
                         {name + "_offset"}, offsets);
}

FileWriter::FileWriter(Compression compression) : compression_{compression} {
    const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), "property list");
    check(H5Pset_fapl_core(access.id(), memory_increment_bytes, 0), "memory file");
    check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_SEMI), "memory file");
    const Handle creation = creation_properties(H5P_FILE_CREATE);
    // The name is never seen: nothing is written below it.
    file_ = checked(H5Fcreate("prismllm-memory.h5", H5F_ACC_TRUNC, creation.id(), access.id()),
                    "memory file");
}

GroupWriter FileWriter::group(const std::string& path) {
    const Handle links = checked(H5Pcreate(H5P_LINK_CREATE), "property list");
    check(H5Pset_create_intermediate_group(links.id(), 1), "property list");
    const Handle creation = creation_properties(H5P_GROUP_CREATE);
    return GroupWriter{
        checked(H5Gcreate2(file_.id(), path.c_str(), links.id(), creation.id(), H5P_DEFAULT), path),
        compression_};
}

GroupWriter FileWriter::root() {
    return GroupWriter{checked(H5Gopen2(file_.id(), "/", H5P_DEFAULT), "/"), compression_};
}

std::vector<std::byte> FileWriter::finish() && {
    check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL), "memory file");
    const ssize_t size = H5Fget_file_image(file_.id(), nullptr, 0);
    check(size < 0 ? -1 : 0, "memory file");
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    const ssize_t copied = H5Fget_file_image(file_.id(), bytes.data(), bytes.size());
    check(copied < 0 ? -1 : 0, "memory file");
    check(file_.close() ? 0 : -1, "memory file");
    return bytes;
}

}  // namespace prismllm::store
