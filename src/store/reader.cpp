// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <hdf5_hl.h>

namespace prismllm::store {
namespace {

// Deflate shrinks by at most 1032:1 (zlib's technical notes); constant columns come near it.
constexpr std::uint64_t highest_compression = 1100;
constexpr std::uint64_t always_allowed_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t most_allowed_bytes = std::uint64_t{8} << 30;
// HDF5 allocates whole chunks; ours have at most 1 MiB.
constexpr std::uint64_t largest_chunk_bytes = std::uint64_t{64} << 20;
constexpr hsize_t largest_attribute_bytes = 65536;  // HDF5's own limit for plain attributes
constexpr int largest_dimension_count = 3;

constexpr std::array<unsigned char, 8> hdf5_signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

Handle accepted(hid_t id, const std::string& what) {
    if (id < 0) {
        reject("{} cannot be opened; HDF5 says: {}", what, hdf5_reason());
    }
    return Handle{id};
}

void check_signature(const void* bytes, std::size_t size) {
    if (size == 0) {
        reject("it is empty");
    }
    if (size < hdf5_signature.size() ||
        std::memcmp(bytes, hdf5_signature.data(), hdf5_signature.size()) != 0) {
        reject("it is not an HDF5 file");
    }
}

std::uint64_t check_regular_file(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        reject("there is no such file");
    }
    if (std::filesystem::is_directory(status)) {
        reject("it is a directory");
    }
    // Opening a pipe or a device could wait forever.
    if (!std::filesystem::is_regular_file(status)) {
        reject("it is not a regular file");
    }
    std::array<char, hdf5_signature.size()> head{};
    errno = 0;
    std::ifstream file{path, std::ios::binary};
    if (!file) {
        reject("{}", std::strerror(errno));
    }
    file.read(head.data(), head.size());
    check_signature(head.data(), static_cast<std::size_t>(file.gcount()));
    const auto size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

std::string describe(const std::vector<std::size_t>& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace

Allowance::Allowance(std::uint64_t file_bytes)
    : left_bytes_{std::min(
          most_allowed_bytes,
          always_allowed_bytes + std::min(file_bytes, most_allowed_bytes) * highest_compression)} {}

void Allowance::take(std::uint64_t count, std::uint64_t element_bytes, const std::string& where) {
    if (element_bytes > 0 && count > left_bytes_ / element_bytes) {
        reject("'{}' claims {} values of {} bytes, more than such a file can hold", where, count,
               element_bytes);
    }
    left_bytes_ -= count * element_bytes;
}

std::string GroupReader::where(const std::string& name) const {
    return (path_ == "/" ? path_ : path_ + "/") + name;
}

bool GroupReader::has_attribute(const char* name) const {
    return H5Aexists(group_.id(), name) > 0;
}

Handle GroupReader::attribute(const char* name, H5T_class_t type_class) const {
    if (!has_attribute(name)) {
        reject("attribute '{}' is missing", where(name));
    }
    Handle attribute = accepted(H5Aopen(group_.id(), name, H5P_DEFAULT), where(name));
    const Handle space = accepted(H5Aget_space(attribute.id()), where(name));
    const Handle type = accepted(H5Aget_type(attribute.id()), where(name));
    if (H5Sget_simple_extent_type(space.id()) != H5S_SCALAR ||
        H5Tget_class(type.id()) != type_class || H5Tis_variable_str(type.id()) > 0) {
        reject("attribute '{}' has another type or shape", where(name));
    }
    return attribute;
}

std::int64_t GroupReader::integer(const char* name) const {
    const Handle opened = attribute(name, H5T_INTEGER);
    std::int64_t value = 0;
    if (H5Aread(opened.id(), H5T_NATIVE_INT64, &value) < 0) {
        reject("attribute '{}' cannot be read; HDF5 says: {}", where(name), hdf5_reason());
    }
    return value;
}

double GroupReader::number(const char* name) const {
    const Handle opened = attribute(name, H5T_FLOAT);
    double value = 0;
    if (H5Aread(opened.id(), H5T_NATIVE_DOUBLE, &value) < 0) {
        reject("attribute '{}' cannot be read; HDF5 says: {}", where(name), hdf5_reason());
    }
    return value;
}

std::string GroupReader::text(const char* name) const {
    const Handle opened = attribute(name, H5T_STRING);
    const Handle type = accepted(H5Aget_type(opened.id()), where(name));
    const std::size_t size = H5Tget_size(type.id());
    if (size == 0 || size > largest_attribute_bytes) {
        reject("attribute '{}' claims {} bytes", where(name), size);
    }
    std::string value(size, '\0');
    if (H5Aread(opened.id(), type.id(), value.data()) < 0) {
        reject("attribute '{}' cannot be read; HDF5 says: {}", where(name), hdf5_reason());
    }
    value.resize(std::strlen(value.c_str()));
    return value;
}

Handle GroupReader::open_dataset(const std::string& name) const {
    if (H5Lexists(group_.id(), name.c_str(), H5P_DEFAULT) <= 0) {
        reject("dataset '{}' is missing", where(name));
    }
    Handle object = accepted(H5Oopen(group_.id(), name.c_str(), H5P_DEFAULT), where(name));
    if (H5Iget_type(object.id()) != H5I_DATASET) {
        reject("'{}' is not a dataset", where(name));
    }
    return object;
}

std::vector<std::size_t> GroupReader::shape_of(const Handle& dataset,
                                               const std::string& name) const {
    const Handle space = accepted(H5Dget_space(dataset.id()), where(name));
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (rank < 1 || rank > largest_dimension_count) {
        reject("dataset '{}' has {} dimensions", where(name), rank);
    }
    std::array<hsize_t, largest_dimension_count> extents{};
    H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
    return {extents.begin(), extents.begin() + rank};
}

std::size_t GroupReader::size_of(const std::string& dimension) const {
    const auto shape = shape_of(open_dataset(dimension), dimension);
    if (shape.size() != 1) {
        reject("dimension '{}' has the shape {}", where(dimension), describe(shape));
    }
    return shape[0];
}

Handle GroupReader::open(const std::string& name, const ElementType& type,
                         const std::vector<std::size_t>& shape) const {
    Handle dataset = open_dataset(name);
    const Handle stored = accepted(H5Dget_type(dataset.id()), where(name));
    if (H5Tequal(stored.id(), type.file) <= 0) {
        reject("dataset '{}' is not of type {}", where(name), type.name);
    }
    const auto found = shape_of(dataset, name);
    if (found != shape) {
        reject("dataset '{}' has the shape {}, {} is needed", where(name), describe(found),
               describe(shape));
    }
    std::uint64_t rows = 1;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
        allowance_->take(shape[axis], rows * type.size, where(name));
        rows *= shape[axis];
    }
    allowance_->take(shape[0], std::max<std::uint64_t>(1, rows) * type.size, where(name));
    check_storage(dataset, name, shape[0] * rows * type.size);
    return dataset;
}

void GroupReader::check_storage(const Handle& dataset, const std::string& name,
                                std::uint64_t bytes) const {
    const Handle properties = accepted(H5Dget_create_plist(dataset.id()), where(name));
    const H5D_layout_t layout = H5Pget_layout(properties.id());
    if (layout == H5D_CHUNKED) {
        std::array<hsize_t, largest_dimension_count> chunk{};
        const int rank = H5Pget_chunk(properties.id(), largest_dimension_count, chunk.data());
        std::uint64_t chunk_bytes = H5Tget_size(accepted(H5Dget_type(dataset.id()), name).id());
        for (int axis = 0; axis < rank && chunk_bytes <= largest_chunk_bytes; ++axis) {
            // Chunk extents are 32-bit in the file: the product cannot overflow.
            chunk_bytes *= std::max<hsize_t>(1, chunk[static_cast<std::size_t>(axis)]);
        }
        if (chunk_bytes > largest_chunk_bytes) {
            reject("dataset '{}' has chunks of more than {} bytes", where(name),
                   largest_chunk_bytes);
        }
    } else if (layout == H5D_VIRTUAL || H5Pget_external_count(properties.id()) > 0) {
        reject("dataset '{}' keeps its values in other files", where(name));
    }
    // A dataset that was never written has no storage and would read as zeros.
    if (bytes > 0 && H5Dget_storage_size(dataset.id()) == 0) {
        reject("dataset '{}' was never written", where(name));
    }
}

void GroupReader::read(const Handle& dataset, const std::string& name, const ElementType& type,
                       void* values, std::size_t count) const {
    if (count > 0 &&
        H5Dread(dataset.id(), type.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        reject("dataset '{}' cannot be read; HDF5 says: {}", where(name), hdf5_reason());
    }
}

std::vector<std::int64_t> GroupReader::offsets(const std::string& name, std::size_t rows,
                                               std::size_t entries) const {
    auto values = column<std::int64_t>(name, {rows + 1});
    const bool sound = values.front() == 0 && values.back() == static_cast<std::int64_t>(entries) &&
                       std::is_sorted(values.begin(), values.end());
    if (!sound) {
        reject("offsets '{}' do not run from 0 to {}", where(name), entries);
    }
    return values;
}

std::size_t GroupReader::string_count(const std::string& name) const {
    const std::size_t offsets_count = size_of(name + "_offset");
    if (offsets_count == 0) {
        reject("dimension '{}' is 0", where(name + "_offset"));
    }
    return offsets_count - 1;
}

std::vector<std::string> GroupReader::strings(const std::string& name, std::size_t count) const {
    const std::size_t size = size_of(name + "_byte");
    const auto bytes = column<std::uint8_t>(name + "_bytes", {size});
    const auto starts = offsets(name + "_offsets", count, size);
    allowance_->take(count, sizeof(std::string), where(name + "_offsets"));
    std::vector<std::string> texts;
    texts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        texts.emplace_back(bytes.begin() + starts[i], bytes.begin() + starts[i + 1]);
    }
    return texts;
}

FileReader::FileReader(const std::filesystem::path& path)
    : allowance_{std::make_shared<Allowance>(check_regular_file(path))} {
    file_ = Handle{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)};
    if (!file_.is_open()) {
        reject("it is damaged or cut short; HDF5 says: {}", hdf5_reason());
    }
}

FileReader::FileReader(std::span<const std::byte> image)
    : allowance_{std::make_shared<Allowance>(image.size())} {
    check_signature(image.data(), image.size());
    // Read in place. HDF5's interface is not const-correct; nothing is written without
    // H5LT_FILE_IMAGE_OPEN_RW.
    auto* bytes = const_cast<std::byte*>(image.data());
    file_ = Handle{H5LTopen_file_image(bytes, image.size(),
                                       H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE)};
    if (!file_.is_open()) {
        reject("it is damaged or cut short; HDF5 says: {}", hdf5_reason());
    }
}

GroupReader FileReader::group(const std::string& path) const {
    // H5Lexists needs every group above to exist: look one level at a time.
    for (std::size_t end = path.find('/', 1); path != "/"; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        if (H5Lexists(file_.id(), part.c_str(), H5P_DEFAULT) <= 0) {
            reject("group '{}' is missing", part);
        }
        if (end == std::string::npos) {
            break;
        }
    }
    Handle opened{H5Gopen2(file_.id(), path.c_str(), H5P_DEFAULT)};
    if (!opened.is_open()) {
        reject("'{}' is not a group; HDF5 says: {}", path, hdf5_reason());
    }
    return GroupReader{std::move(opened), path, allowance_};
}

}  // namespace prismllm::store
